/// JPEG XL pictures by libjxl's encoder.
#ifndef CJXLFIXTURES_H
#define CJXLFIXTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  /// Distance from the picture, in steps that can just be seen; 0 compresses without loss.
  float distance;
  /// Several resolutions, the coarsest first.
  int responsive;
  /// Boxes around the codestream.
  int container;
  /// By EXIF's numbers.
  int orientation;
  /// Frames of an animation, whose samples follow each other; 1 for a picture. The first one takes a tenth of a second,
  /// and each other one a tenth more.
  int frames;
  /// Each frame is blended over the one before, which libjxl keeps with three others.
  int blends;
  /// How often the animation plays; 0 for forever.
  int plays;
  /// Layers of a picture, each kept for the next; 1 for a plain one. The layers below the last are `layerScale` times
  /// as large.
  int layers, layerScale;
  /// 8, or 16 with samples that are 257 times as large.
  int bits;
  /// Another channel, which is black ink.
  int black;
  /// Code points as libjxl numbers them; 0 for sRGB. A profile goes before them.
  int primaries, transfer;
  const uint8_t *profile;
  size_t profileCount;
  /// EXIF data and XMP, as their boxes have them; compressed by Brotli where that is asked for.
  const uint8_t *exif, *xmp;
  size_t exifCount, xmpCount;
  int compressesBoxes;
} fj_encoding;

/// A file; `channels` is 1 to 4: gray or RGB, with or without alpha. Returns its bytes, to be freed with `fj_free`, or
/// NULL.
uint8_t *fj_encode(
  const uint8_t *samples, size_t width, size_t height, int channels, fj_encoding encoding, size_t *count);

void fj_free(void *memory);

/// Whether libjxl takes the memory for pixels from its caller's allocator.
bool fj_counts_memory(void);

#endif
