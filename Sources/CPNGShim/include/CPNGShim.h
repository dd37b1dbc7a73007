/// libpng behind one seam: header, rows of a picture, encoding.
///
/// Every call that can fail returns an `FCPNGStatus`; its text is read with `…_message` before the next call on the
/// same object. No longjmp and no output on standard error leaves this library. An object is used by one thread at a
/// time. Cancellation is looked at once every 256 KiB of the file and once every row, or more often.
#ifndef CPNGSHIM_H
#define CPNGSHIM_H

#include <CCancellation.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef enum __attribute__((enum_extensibility(closed))) FCPNGStatus {
  FCPNGStatusOk = 0,
  /// The file breaks the format's rules; nothing can be decoded from here on.
  FCPNGStatusCorrupt,
  /// The data ended before the first row.
  FCPNGStatusTruncated,
  /// A PNG of a kind that is not decoded (Apple's CgBI, unknown critical chunks).
  FCPNGStatusUnsupported,
  /// More than `FCPNGSource.maximumSide` or `maximumPixels`.
  FCPNGStatusTooLarge,
  FCPNGStatusOutOfMemory,
  FCPNGStatusCancelled,
  /// The caller asked for something outside the picture or out of order.
  FCPNGStatusMisuse,
} FCPNGStatus;

// MARK: Header

/// What a decoder reads. The bytes and the flag are borrowed until the decoder is destroyed.
typedef struct FCPNGSource {
  const uint8_t *bytes;
  size_t count;
  /// `bytes` is a read-only file mapping: pages already read are given back to the system, so that the resident size
  /// does not grow with the file.
  bool isFileMapping;
  /// Width and height, and their product, above which `fcpng_decoder_start` refuses. The header can be read all the
  /// same.
  uint32_t maximumSide;
  uint64_t maximumPixels;
  /// The most bytes of the decompressed profile and of the EXIF data, each.
  size_t maximumMetadataBytes;
  /// Of the XMP packet, decompressed.
  size_t maximumXMPBytes;
  FCCancellation *cancellation;
} FCPNGSource;

/// How the file stores its pixels.
typedef enum __attribute__((enum_extensibility(closed))) FCPNGColorType {
  FCPNGColorTypeGray = 0,
  FCPNGColorTypeRGB = 2,
  FCPNGColorTypePalette = 3,
  FCPNGColorTypeGrayAlpha = 4,
  FCPNGColorTypeRGBA = 6,
} FCPNGColorType;

typedef enum __attribute__((enum_extensibility(closed))) FCPNGMetadata {
  FCPNGMetadataNone = 0,
  FCPNGMetadataPresent,
  /// Larger than `FCPNGSource.maximumMetadataBytes`, and not read.
  FCPNGMetadataTooLarge,
  /// A wrong checksum, or data that cannot be what they should be.
  FCPNGMetadataDamaged,
} FCPNGMetadata;

typedef struct FCPNGChromaticities {
  double whiteX, whiteY, redX, redY, greenX, greenY, blueX, blueY;
} FCPNGChromaticities;

typedef struct FCPNGHeader {
  uint32_t width, height;
  FCPNGColorType colorType;
  /// Bits a sample, or a palette index: 1, 2, 4, 8, 16.
  uint32_t bitDepth;
  bool isInterlaced;
  /// Frames of an animation (APNG), whose first one is usually the picture that is read; 1 for other files.
  uint32_t frameCount;
  /// An alpha channel, or a transparent color or palette (tRNS).
  bool hasTransparency;
  /// The sRGB chunk with its rendering intent, 0…3.
  bool isSRGB;
  uint32_t renderingIntent;
  /// The exponent of the file, 1/2.2 for most.
  bool hasGamma;
  double gamma;
  bool hasChromaticities;
  FCPNGChromaticities chromaticities;
  /// The cICP chunk: coding-independent code points (ITU-T H.273) of RGB.
  bool hasCodePoints;
  uint8_t primaries, transfer;
  /// Samples from 0 to the largest, instead of those of video.
  bool isFullRange;
  /// The ICC profile, decompressed; it belongs to the decoder. Its content is not checked.
  FCPNGMetadata profileState;
  const uint8_t *_Nullable profile;
  size_t profileCount;
  /// The EXIF data, a TIFF structure without "Exif\0\0"; part of the source's bytes.
  FCPNGMetadata exifState;
  const uint8_t *_Nullable exif;
  size_t exifCount;
  /// An XMP packet; part of the source's bytes, or, decompressed, the decoder's.
  FCPNGMetadata xmpState;
  const uint8_t *_Nullable xmp;
  size_t xmpCount;
  /// Pixels per meter, where they are the same along both sides; else 0.
  uint32_t pixelsPerMeter;
  /// Harmless irregularities so far: ancillary chunks that are damaged, repeated, or not where they belong.
  uint32_t remarks;
} FCPNGHeader;

typedef struct FCPNGDecoder FCPNGDecoder;

/// NULL when there is no memory.
FCPNGDecoder *_Nullable fcpng_decoder_create(FCPNGSource source);
void fcpng_decoder_destroy(FCPNGDecoder *decoder);
/// What the last failed call had to say; valid until the next call.
const char *fcpng_decoder_message(const FCPNGDecoder *decoder);

/// Reads up to the first chunk of pixels. Any number of times.
FCPNGStatus fcpng_decoder_read_header(FCPNGDecoder *decoder, FCPNGHeader *header);

/// EXIF data and XMP may also stand behind the pixels: what `header` has not is looked for in the last 256 KiB of the file.
FCPNGStatus fcpng_decoder_find_late_metadata(FCPNGDecoder *decoder, FCPNGHeader *header);

// MARK: Decoding

/// What the caller gets, 8 bits a sample. Alpha is not premultiplied; asked for without alpha it is dropped, the colors
/// staying as they are. Gray of colors is their luma (ITU-R BT.601, as in JFIF). 16 bits are rounded to 8. The file's
/// gamma and profile are not applied.
typedef enum __attribute__((enum_extensibility(closed))) FCPNGColor {
  FCPNGColorGray = 1,
  FCPNGColorGrayAlpha = 2,
  FCPNGColorRGB = 3,
  FCPNGColorRGBA = 4,
} FCPNGColor;

typedef enum __attribute__((enum_extensibility(closed))) FCPNGDamageKind {
  FCPNGDamageKindNone = 0,
  FCPNGDamageKindTruncated,
  FCPNGDamageKindCorrupt,
} FCPNGDamageKind;

/// Damage that decoding went past. The first place counts. Rows behind it are what zlib made of the data if only a
/// checksum was wrong, and zero where decoding could not go on.
typedef struct FCPNGDamage {
  FCPNGDamageKind kind;
  /// Rows of the picture that lie wholly above the damage; all of them when only the file's end is missing. A checksum
  /// covers a whole chunk and stands at its end, so that rows below this one may have been given before it was found.
  uint32_t intactRows;
  /// The pass, from 1 to 7, in which it was found; 1 if the file is not interlaced. Above 1, earlier passes gave the
  /// whole picture coarsely.
  uint32_t pass;
  /// Harmless irregularities.
  uint32_t remarks;
} FCPNGDamage;

/// Complete only after the last row.
FCPNGDamage fcpng_decoder_damage(const FCPNGDecoder *decoder);

/// The part of the source's bytes that libpng has read, 0…1.
double fcpng_decoder_fraction_read(const FCPNGDecoder *decoder);

/// Checks the limits and gets ready to give rows. Once per decoder.
FCPNGStatus fcpng_decoder_start(FCPNGDecoder *decoder, FCPNGColor color);

/// Reads up to `rows` rows of a pass of an interlaced file; `finished` when the last pass is in, and always for other files.
/// Skipping and reading do it too, in one go; this is for those who report progress.
FCPNGStatus fcpng_decoder_absorb(FCPNGDecoder *decoder, uint32_t rows, bool *finished);

/// Passes over `rows` rows; they are decompressed all the same.
FCPNGStatus fcpng_decoder_skip_rows(FCPNGDecoder *decoder, uint32_t rows);

/// Columns `x` to `x + width` of up to `maximumRows` further rows into `rows`, `stride` bytes apart; `capacity` is the
/// size of `rows` in bytes. `read` is 0 only after the picture's last row.
FCPNGStatus fcpng_decoder_read_rows(FCPNGDecoder *decoder, uint32_t x, uint32_t width, uint8_t *rows, size_t stride,
                                    size_t capacity, uint32_t maximumRows, uint32_t *read);

// MARK: Encoding

typedef struct FCPNGEncoding {
  uint32_t width, height;
  FCPNGColor color;
  /// The EXIF data, a TIFF structure without "Exif\0\0", or none.
  const uint8_t *_Nullable exif;
  size_t exifCount;
  /// An XMP packet, or none.
  const uint8_t *_Nullable xmp;
  size_t xmpCount;
  /// 0 says nothing.
  uint32_t pixelsPerMeter;
  /// The ICC profile, of as many channels as the picture, or none. Its content is not checked.
  const uint8_t *_Nullable profile;
  size_t profileCount;
  const FCCancellation *cancellation;
} FCPNGEncoding;

typedef struct FCPNGEncoder FCPNGEncoder;

/// NULL when there is no memory.
FCPNGEncoder *_Nullable fcpng_encoder_create(void);
void fcpng_encoder_destroy(FCPNGEncoder *encoder);
const char *fcpng_encoder_message(const FCPNGEncoder *encoder);
/// Once per encoder. The metadata are copied into the output here.
FCPNGStatus fcpng_encoder_start(FCPNGEncoder *encoder, FCPNGEncoding encoding);
FCPNGStatus fcpng_encoder_write_rows(
  FCPNGEncoder *encoder, const uint8_t *rows, size_t stride, size_t capacity, uint32_t count);
/// Gives the bytes that the file has grown by since the last such call, valid until the next call on the encoder: a file that is written
/// as it grows.
void fcpng_encoder_take(FCPNGEncoder *encoder, const uint8_t *_Nullable *_Nonnull bytes, size_t *count);
/// Ends the file, after the last row; `bytes`, those that were not taken, belong to the encoder and live as long as it.
FCPNGStatus fcpng_encoder_finish(FCPNGEncoder *encoder, const uint8_t *_Nullable *_Nonnull bytes, size_t *count);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
