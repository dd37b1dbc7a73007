/// libpng behind one seam: reads the header, decodes the rows of an image, and encodes.
///
/// Cancellation is checked at least every 256 KiB of the file and every row.
#pragma once

#include <CBasics.h>

FC_BEGIN

// MARK: Header

/// The input of a decoder. It borrows the bytes and the flag until it is destroyed.
typedef struct FCPNGSource {
  const uint8_t *bytes;
  size_t count;
  /// Whether `bytes` is a read-only file mapping. If it is, pages already read are given back to the system, so that
  /// the resident size does not grow with the file.
  bool isFileMapping;
  /// Upper bound of the pixels. `fcpng_decoder_start` refuses larger images, after the header.
  uint64_t maximumPixels;
  /// Upper bound of the decompressed profile and of the EXIF data, in bytes each.
  size_t maximumMetadataBytes;
  /// Upper bound of the decompressed XMP packet, in bytes.
  size_t maximumXMPBytes;
  FCCancellation *cancellation;
} FCPNGSource;

/// The file's pixel format.
typedef enum __attribute__((enum_extensibility(closed))) FCPNGColorType {
  FCPNGColorTypeGray = 0,
  FCPNGColorTypeRGB = 2,
  FCPNGColorTypePalette = 3,
  FCPNGColorTypeGrayAlpha = 4,
  FCPNGColorTypeRGBA = 6,
} FCPNGColorType;

typedef struct FCPNGChromaticities {
  double whiteX, whiteY, redX, redY, greenX, greenY, blueX, blueY;
} FCPNGChromaticities;

typedef struct FCPNGHeader {
  uint32_t width, height;
  FCPNGColorType colorType;
  /// Bits of a sample or of a palette index: 1, 2, 4, 8 or 16.
  uint32_t bitDepth;
  bool isInterlaced;
  /// Frames of an animation (APNG), whose first frame is usually the decoded image; 1 for other files.
  uint32_t frameCount;
  /// Whether the file has an alpha channel, or a transparent color or palette (tRNS).
  bool hasTransparency;
  /// Whether the file has an sRGB chunk.
  bool isSRGB;
  /// The file's gamma exponent; 1/2.2 for most files.
  bool hasGamma;
  double gamma;
  bool hasChromaticities;
  FCPNGChromaticities chromaticities;
  /// The cICP chunk: coding-independent code points (ITU-T H.273) of RGB.
  bool hasCodePoints;
  uint8_t primaries, transfer;
  /// Whether samples use the full range instead of that of video.
  bool isFullRange;
  /// The decompressed ICC profile, and the EXIF data (a TIFF structure without "Exif\0\0").
  FCPart profile, exif;
  /// An XMP packet.
  FCPart xmp;
  /// Pixels per meter if both axes have the same value, otherwise 0.
  uint32_t pixelsPerMeter;
  /// Harmless irregularities so far: ancillary chunks that are damaged, repeated, or misplaced.
  uint32_t remarks;
} FCPNGHeader;

typedef struct FCPNGDecoder FCPNGDecoder;

/// Creates a decoder, or returns NULL if memory runs out.
FCPNGDecoder *_Nullable fcpng_decoder_create(FCPNGSource source);
void fcpng_decoder_destroy(FCPNGDecoder *decoder);
/// Returns the message of the last failed call, valid until the next call.
const char *fcpng_decoder_message(const FCPNGDecoder *decoder);

/// Reads the file up to the first chunk of pixels. Call it any number of times.
FCStatus fcpng_decoder_read_header(FCPNGDecoder *decoder, FCPNGHeader *header);

/// Looks for EXIF data and XMP after the pixels if `header` lacks them. Reads only the last 256 KiB of the file.
FCStatus fcpng_decoder_find_late_metadata(FCPNGDecoder *decoder, FCPNGHeader *header);

// MARK: Decoding

/// Returns the damage found so far; complete after the last row. All rows are intact if only the file's end is missing.
/// Rows after the damage are zlib's output if only a checksum was wrong, and zero if decoding could not continue. A
/// checksum covers a whole chunk and follows it, so rows below the intact ones may be read before the damage is found.
FCDamage fcpng_decoder_damage(const FCPNGDecoder *decoder);

/// Returns the fraction of the source's bytes that libpng has read, 0…1.
double fcpng_decoder_fraction_read(const FCPNGDecoder *decoder);

/// Checks the limits and prepares to decode rows as gray, RGB or RGBA. Call it once per decoder.
///
/// 16 bits are rounded to 8. Without alpha it is dropped, and the colors stay unchanged. Colors become gray by their
/// luma (ITU-R BT.601, as in JFIF). The file's gamma and profile are not applied.
FCStatus fcpng_decoder_start(FCPNGDecoder *decoder, FCColor color);

/// Decodes up to `rows` rows of a pass of an interlaced file. Sets `finished` when the last pass is in, and always for
/// other files. Skipping and reading rows also do this, in one go; call it to report progress.
FCStatus fcpng_decoder_absorb(FCPNGDecoder *decoder, uint32_t rows, bool *finished);

/// Skips `rows` rows, which are decompressed all the same.
FCStatus fcpng_decoder_skip_rows(FCPNGDecoder *decoder, uint32_t rows);

/// Reads columns `x` to `x + width` of up to `maximumRows` further rows into `rows`, `stride` bytes apart. `capacity`
/// is the size of `rows` in bytes. `read` is 0 only after the image's last row.
FCStatus fcpng_decoder_read_rows(FCPNGDecoder *decoder, uint32_t x, uint32_t width, uint8_t *rows, size_t stride,
                                 size_t capacity, uint32_t maximumRows, uint32_t *read);

/// Returns the checksum of a chunk: of its name and its data.
uint32_t fcpng_checksum(const uint8_t *bytes, size_t count);

// MARK: Encoding

typedef struct FCPNGEncoding {
  uint32_t width, height;
  /// Gray, RGB or RGBA.
  FCColor color;
  FCAttachments attachments;
  /// 0 writes no resolution.
  uint32_t pixelsPerMeter;
  const FCCancellation *cancellation;
} FCPNGEncoding;

typedef struct FCPNGEncoder FCPNGEncoder;

/// Creates an encoder, or returns NULL if memory runs out.
FCPNGEncoder *_Nullable fcpng_encoder_create(void);
void fcpng_encoder_destroy(FCPNGEncoder *encoder);
const char *fcpng_encoder_message(const FCPNGEncoder *encoder);
/// Starts a file and copies the metadata into it. Call it once per encoder.
FCStatus fcpng_encoder_start(FCPNGEncoder *encoder, FCPNGEncoding encoding);
FCStatus fcpng_encoder_write_rows(
  FCPNGEncoder *encoder, const uint8_t *rows, size_t stride, size_t capacity, uint32_t count);
/// Returns the bytes that were written since the last such call, so that a caller can write the file as it grows. They
/// stay valid until the next call on the encoder.
FCBytes fcpng_encoder_take(FCPNGEncoder *encoder);
/// Ends the file after the last row. Returns the bytes that were not taken yet, which live as long as the encoder.
FCStatus fcpng_encoder_finish(FCPNGEncoder *encoder, FCBytes *bytes);

FC_END
