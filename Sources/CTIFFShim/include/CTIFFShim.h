/// libtiff behind one seam: decodes the rows of one page, from any row on, and compresses strips with zlib. The caller
/// writes the directories of compressed strips, and of pages, so that libtiff never sees those of the file.
///
/// Every row checks for cancellation.
#pragma once

#include <CBasics.h>

FC_BEGIN

/// The input of a decoder. It borrows the bytes and the flag until it is destroyed.
typedef struct FCTIFFSource {
  const uint8_t *bytes;
  size_t count;
  /// The caller's header, which replaces the file's, and directory, at `directoryOffset` after the file.
  const uint8_t *header;
  size_t headerCount;
  const uint8_t *directory;
  size_t directoryOffset, directoryCount;
  /// The most bytes that libtiff may request at once.
  size_t maximumAllocation;
  const FCCancellation *cancellation;
} FCTIFFSource;

/// The meaning of the samples.
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
  /// Bits of a sample (1 to 16), and samples of a pixel.
  uint32_t bits, samples;
  bool isPlanar;
  /// 0 if the page is in strips.
  uint32_t tileWidth, tileHeight;
  uint32_t rowsPerStrip;
  FCTIFFColors colors;
  /// The meaning of the sample after the colors.
  FCTIFFAlpha alpha;
  bool isJPEG, isUncompressed;
  /// 256 RGBA colors; only for a palette.
  const uint8_t *_Nullable palette;
} FCTIFFPicture;

typedef struct FCTIFFDecoder FCTIFFDecoder;

/// Creates a decoder, or returns NULL if memory runs out.
FCTIFFDecoder *_Nullable fctiff_decoder_create(FCTIFFSource source, FCTIFFPicture picture);
void fctiff_decoder_destroy(FCTIFFDecoder *decoder);
/// Returns the message of the last failed call, or of the first damage; valid until the next call.
const char *fctiff_decoder_message(const FCTIFFDecoder *decoder);
/// Returns the damage found so far. Its kind is always corrupt data. Lost rows are zero.
FCDamage fctiff_decoder_damage(const FCTIFFDecoder *decoder);

/// Prepares to decode the columns `x` to `x + width`. Call it once per decoder.
///
/// More bits are rounded, and fewer are scaled. Alpha is dropped for outputs without it. Gray is luma (ITU-R BT.601, as
/// in JFIF). CMYK becomes RGB by removing each ink and black from white; `FCColorCMYK` is only for a page in CMYK,
/// whose inks stay unchanged.
FCStatus fctiff_decoder_start(FCTIFFDecoder *decoder, FCColor color, uint32_t x, uint32_t width);

/// Reads `count` rows, from `row` on, into `rows` without gaps. Pass NULL to skip them. Reading is fast from one row to
/// the next, and to the first row of a strip or of a row of tiles.
///
/// - capacity: the size of `rows` in bytes.
FCStatus fctiff_decoder_read_rows(
  FCTIFFDecoder *decoder, uint32_t row, uint32_t count, uint8_t *_Nullable rows, size_t capacity);

// MARK: Writing

/// Returns an upper bound, in bytes, for a compressed strip of `count` bytes.
size_t fctiff_strip_bound(size_t count);

/// Compresses a strip of 8-bit samples with zlib's Deflate, after horizontal differencing (compression 8, predictor 2).
///
/// - scratch: room for the strip's pixels without gaps.
/// - out_count: the size of `out` in bytes, at least `fctiff_strip_bound`; on return, the size of the compressed strip.
FCStatus fctiff_compress_strip(
  const uint8_t *rows, size_t stride, uint32_t width, uint32_t channels, uint32_t count, uint8_t *scratch, uint8_t *out,
  size_t *out_count);

FC_END
