/// HEIC and AVIF pictures by libheif's encoders, and libheif's own decode of a whole file: what the product's is compared
/// with. It shares no code with the product's shim.
#ifndef CHEIFFIXTURES_H
#define CHEIFFIXTURES_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  /// AV1 instead of HEVC.
  int av1;
  /// Bits a sample, 8 or more; the samples given have 8.
  int depth;
  /// "420", "422" or "444"; of no effect on gray.
  const char *chroma;
  /// 1 to 100.
  int quality;
  /// HEVC with the sample-adaptive offset behind its other filters, as telephones write it.
  int offset;
} fh_encoding;

/// A file of one picture; `channels` is 1 for gray or 3 for RGB. Returns its bytes, to be freed with `fh_free`, or NULL.
uint8_t *fh_encode(const uint8_t *samples, size_t width, size_t height, int channels, fh_encoding encoding, size_t *count);

/// The primary picture in RGBA, 8 bits, as displayed; to be freed with `fh_free`. NULL for a file that cannot be read.
uint8_t *fh_decode(const uint8_t *bytes, size_t count, size_t *width, size_t *height);

void fh_free(void *memory);

#endif
