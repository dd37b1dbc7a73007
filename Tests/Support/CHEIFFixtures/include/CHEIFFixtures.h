/// Encodes HEIC and AVIF images with libheif's encoders, and decodes whole files with libheif as the reference. It
/// shares no code with the product's shim.
#ifndef CHEIFFIXTURES_H
#define CHEIFFIXTURES_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  /// AV1 instead of HEVC.
  int av1;
  /// Bits of a coded sample, 8 or more; the given samples have 8.
  int depth;
  /// "420", "422" or "444"; no effect on gray.
  const char *chroma;
  /// 1 to 100.
  int quality;
  /// Whether HEVC has the sample-adaptive offset after its other filters, as from phones.
  int offset;
} fh_encoding;

/// Encodes a file of one image, gray (1 channel) or RGB (3). Returns its bytes, to free with `fh_free`, or NULL.
uint8_t *fh_encode(
  const uint8_t *samples, size_t width, size_t height, int channels, fh_encoding encoding, size_t *count);

/// Decodes the primary image to 8-bit RGBA, as displayed, to free with `fh_free`. Returns NULL for an unreadable file.
uint8_t *fh_decode(const uint8_t *bytes, size_t count, size_t *width, size_t *height);

void fh_free(void *memory);

#endif
