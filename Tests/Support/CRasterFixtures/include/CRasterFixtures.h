/// Whole images by the simplest calls of libpng, libwebp, giflib and libtiff, the reference for the product's codecs.
#ifndef CRASTERFIXTURES_H
#define CRASTERFIXTURES_H

#include <stddef.h>
#include <stdint.h>

/// RGBA, 8 bits, not premultiplied; free `pixels` with `fr_free`.
typedef struct {
  uint8_t *pixels;
  size_t width, height;
} fr_picture;

/// Decode a file. Return 1, or 0 for an unreadable file.
int fr_decode_png(const uint8_t *bytes, size_t count, fr_picture *picture);
int fr_decode_webp(const uint8_t *bytes, size_t count, fr_picture *picture);

/// Decodes all frames of an animated WebP file as they show, one below the other, up to `most` of them. `ends` gets the
/// time in milliseconds at which each one ends. Returns the number of frames, or 0.
int fr_decode_webp_animation(const uint8_t *bytes, size_t count, int most, fr_picture *picture, int *ends);

/// Decodes a GIF file's first frame: its indices in `pixels`, one byte each, and its own size.
int fr_decode_gif(const uint8_t *bytes, size_t count, fr_picture *picture);

/// Decodes a TIFF file's first page to premultiplied RGBA.
int fr_decode_tiff(const uint8_t *bytes, size_t count, fr_picture *picture);

/// The variant of a TIFF file, by TIFF's numbers; `tile` is the side of a tile, 0 for strips.
typedef struct {
  int bits, channels, photometric, compression, predictor, tile, rowsPerStrip;
} fr_tiff;

/// Encodes stored samples without gaps as TIFF. Returns bytes to free with `fr_free`, or NULL.
uint8_t *fr_encode_tiff(const uint8_t *samples, size_t width, size_t height, fr_tiff kind, size_t *count);

/// Encodes one frame of 8-bit indices with 256 colors of 3 bytes as GIF. Returns bytes to free with `fr_free`, or NULL.
uint8_t *fr_encode_gif(const uint8_t *indices, size_t width, size_t height, const uint8_t *colors, int interlaced,
                       size_t *count);

/// Encodes RGBA pixels as WebP; a quality below 0 is lossless. Returns bytes to free with `fr_free`, or NULL.
uint8_t *fr_encode_webp(const uint8_t *pixels, size_t width, size_t height, float quality, size_t *count);

/// Encodes 1 to 4 channels quickly as PNG. Returns bytes to free with `fr_free`, or NULL.
uint8_t *fr_encode_png(
  const uint8_t *samples, size_t width, size_t height, int channels, int interlaced, size_t *count);

/// Compresses bytes with zlib's best compression. Returns bytes to free with `fr_free`, or NULL.
uint8_t *fr_compress(const uint8_t *bytes, size_t length, size_t *count);

void fr_free(void *memory);

#endif
