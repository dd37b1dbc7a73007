/// Whole pictures by libpng's and libwebp's simplest calls: what the product's decoders and encoders are compared with.
#ifndef CRASTERFIXTURES_H
#define CRASTERFIXTURES_H

#include <stddef.h>
#include <stdint.h>

/// RGBA, 8 bits, not premultiplied; free `pixels` with `fr_free`.
typedef struct {
  uint8_t *pixels;
  size_t width, height;
} fr_picture;

/// 1, or 0 for a file that cannot be read.
int fr_decode_png(const uint8_t *bytes, size_t count, fr_picture *picture);
int fr_decode_webp(const uint8_t *bytes, size_t count, fr_picture *picture);

/// A WebP file of RGBA pixels; a quality below 0 is lossless. Returns its bytes, to be freed with `fr_free`, or NULL.
uint8_t *fr_encode_webp(const uint8_t *pixels, size_t width, size_t height, float quality, size_t *count);

/// A PNG file of 1 to 4 channels, quickly; to be freed with `fr_free`, or NULL.
uint8_t *fr_encode_png(const uint8_t *samples, size_t width, size_t height, int channels, int interlaced, size_t *count);

void fr_free(void *memory);

#endif
