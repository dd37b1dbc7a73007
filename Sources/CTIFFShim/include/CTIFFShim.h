/// libtiff behind one seam: the rows of one page, from any row on. Its directory the caller has read, and writes anew: of the
/// file's own directories libtiff sees none. Strips that are written are zlib's, and their directory the caller's too.
///
/// Every call that can fail returns an `FCTIFFStatus`; its text is read with `…_message` before the next call on the same
/// object. No output on standard error leaves this library. An object is used by one thread at a time. Cancellation is looked at
/// once every row or tile.
#ifndef CTIFFSHIM_H
#define CTIFFSHIM_H

#include <CCancellation.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef enum __attribute__((enum_extensibility(closed))) FCTIFFStatus {
  FCTIFFStatusOk = 0,
  /// Nothing can be decoded.
  FCTIFFStatusCorrupt,
  /// libtiff cannot be loaded.
  FCTIFFStatusUnsupported,
  FCTIFFStatusOutOfMemory,
  FCTIFFStatusCancelled,
  /// The caller asked for something outside the picture or out of order.
  FCTIFFStatusMisuse,
} FCTIFFStatus;

/// What a decoder reads. The bytes and the flag are borrowed until the decoder is destroyed.
typedef struct FCTIFFSource {
  const uint8_t *bytes;
  size_t count;
  /// A header and a directory of the caller's making, the header in the place of the file's, the directory behind the file.
  const uint8_t *header;
  size_t headerCount;
  const uint8_t *directory;
  size_t directoryOffset, directoryCount;
  /// The most bytes that libtiff may ask for at once.
  size_t maximumAllocation;
  const FCCancellation *cancellation;
} FCTIFFSource;

/// How the samples are meant.
typedef enum __attribute__((enum_extensibility(closed))) FCTIFFColors {
  FCTIFFColorsGray = 0,
  FCTIFFColorsWhiteIsZero,
  FCTIFFColorsPalette,
  FCTIFFColorsRGB,
  /// CMYK, 0 for no ink.
  FCTIFFColorsInks,
  /// Luma and chroma, which libtiff converts.
  FCTIFFColorsYCbCr,
} FCTIFFColors;

typedef enum __attribute__((enum_extensibility(closed))) FCTIFFAlpha {
  FCTIFFAlphaNone = 0,
  FCTIFFAlphaAssociated,
  FCTIFFAlphaUnassociated,
} FCTIFFAlpha;

typedef struct FCTIFFPicture {
  uint32_t width, height;
  /// Bits of a sample, 1 to 16, and samples of a pixel.
  uint32_t bits, samples;
  bool isPlanar;
  /// 0 where it is in strips.
  uint32_t tileWidth, tileHeight;
  uint32_t rowsPerStrip;
  FCTIFFColors colors;
  /// Of the sample behind the colors.
  FCTIFFAlpha alpha;
  bool isJPEG, isUncompressed;
  /// RGBA, 256 of them; only for a palette.
  const uint8_t *_Nullable palette;
} FCTIFFPicture;

/// What the caller gets, 8 bits a sample. Alpha is not premultiplied; asked for without alpha it is dropped. Gray of colors is
/// their luma (ITU-R BT.601, as in JFIF). More than 8 bits are rounded to 8, fewer are scaled. Of inks, RGB is what is left of white by each of them and by
/// black.
typedef enum __attribute__((enum_extensibility(closed))) FCTIFFColor {
  FCTIFFColorGray = 0,
  FCTIFFColorRGB,
  FCTIFFColorRGBA,
  /// The inks as they are; only of inks.
  FCTIFFColorCMYK,
} FCTIFFColor;

/// The first row with something wrong in it. Rows that it took away are zero.
typedef struct FCTIFFDamage {
  bool isDamaged;
  uint32_t row;
} FCTIFFDamage;

typedef struct FCTIFFDecoder FCTIFFDecoder;

/// NULL when there is no memory.
FCTIFFDecoder *_Nullable fctiff_decoder_create(FCTIFFSource source, FCTIFFPicture picture);
void fctiff_decoder_destroy(FCTIFFDecoder *decoder);
/// What the last failed call, or the first damage, had to say; valid until the next call.
const char *fctiff_decoder_message(const FCTIFFDecoder *decoder);
FCTIFFDamage fctiff_decoder_damage(const FCTIFFDecoder *decoder);

/// Gets ready to give rows of the columns `x` to `x + width`. Once per decoder.
FCTIFFStatus fctiff_decoder_start(FCTIFFDecoder *decoder, FCTIFFColor color, uint32_t x, uint32_t width);

/// Reads `count` rows from `row` on into `rows`, without gaps, of which there are `capacity` bytes; NULL passes over them. From
/// one row to the next is fast, and to the first of a strip or a row of tiles.
FCTIFFStatus fctiff_decoder_read_rows(
  FCTIFFDecoder *decoder, uint32_t row, uint32_t count, uint8_t *_Nullable rows, size_t capacity);

// MARK: Writing

/// The most bytes that a strip of `count` bytes may take.
size_t fctiff_strip_bound(size_t count);

/// Compresses a strip of 8 bits a sample by zlib's Deflate, each row as the differences of neighbors (compression 8, predictor 2).
///
/// - `scratch`: room for the strip's pixels, without gaps.
/// - `out_count`: of `out` the bytes of room, at least `fctiff_strip_bound`; then of the strip.
FCTIFFStatus fctiff_compress_strip(
  const uint8_t *rows, size_t stride, uint32_t width, uint32_t channels, uint32_t count, uint8_t *scratch, uint8_t *out,
  size_t *out_count);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
