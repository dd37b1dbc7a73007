/// Whole pictures by libpng's, libwebp's, giflib's and libtiff's simplest calls: what the product's decoders and encoders are compared with.
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

/// A GIF file's first frame: its indices in `pixels`, one byte each, and its own size.
int fr_decode_gif(const uint8_t *bytes, size_t count, fr_picture *picture);

/// A TIFF file's first page in RGBA, alpha multiplied in.
int fr_decode_tiff(const uint8_t *bytes, size_t count, fr_picture *picture);

/// How a TIFF file is written, by TIFF's own numbers; `tile` is the side of one, 0 for strips.
typedef struct {
  int bits, channels, photometric, compression, predictor, tile, rowsPerStrip;
} fr_tiff;

/// A TIFF file of samples as they are stored, rows without gaps; to be freed with `fr_free`, or NULL.
uint8_t *fr_encode_tiff(const uint8_t *samples, size_t width, size_t height, fr_tiff kind, size_t *count);

/// A GIF file of one frame, of indices below 256 and as many colors of 3 bytes; to be freed with `fr_free`, or NULL.
uint8_t *fr_encode_gif(const uint8_t *indices, size_t width, size_t height, const uint8_t *colors, int interlaced,
                       size_t *count);

/// A WebP file of RGBA pixels; a quality below 0 is lossless. Returns its bytes, to be freed with `fr_free`, or NULL.
uint8_t *fr_encode_webp(const uint8_t *pixels, size_t width, size_t height, float quality, size_t *count);

/// A PNG file of 1 to 4 channels, quickly; to be freed with `fr_free`, or NULL.
uint8_t *fr_encode_png(const uint8_t *samples, size_t width, size_t height, int channels, int interlaced, size_t *count);

/// Bytes as zlib packs them at its best; to be freed with `fr_free`, or NULL.
uint8_t *fr_compress(const uint8_t *bytes, size_t length, size_t *count);

void fr_free(void *memory);

#endif
