/// libwebp behind one seam: header, regions of a picture, encoding.
///
/// Every call that can fail returns an `FCWebPStatus`; its text is read with `…_message` before the next call on the
/// same object. There is no output on standard error. An object is used by one thread at a time.
/// Cancellation is looked at before each step of decoding and, while encoding, whenever libwebp reports progress: often for
/// lossy, in steps of up to some seconds a dozen megapixels for lossless.
#ifndef CWEBPSHIM_H
#define CWEBPSHIM_H

#include <CCancellation.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef enum __attribute__((enum_extensibility(closed))) FCWebPStatus {
  FCWebPStatusOk = 0,
  /// The file breaks the format's rules; nothing can be decoded.
  FCWebPStatusCorrupt,
  /// The data ended before the first row.
  FCWebPStatusTruncated,
  /// A picture of a kind or size that libwebp does not know.
  FCWebPStatusUnsupported,
  /// More than `FCWebPSource.maximumPixels` or `maximumChunks`.
  FCWebPStatusTooLarge,
  FCWebPStatusOutOfMemory,
  FCWebPStatusCancelled,
  /// The caller asked for something outside the picture or out of order.
  FCWebPStatusMisuse,
} FCWebPStatus;

// MARK: Header

/// What a decoder reads. The bytes and the flag are borrowed until the decoder is destroyed.
typedef struct FCWebPSource {
  const uint8_t *bytes;
  size_t count;
  /// The most pixels of the picture and of its canvas; checked when a region is started, the header can be read all the same.
  uint64_t maximumPixels;
  /// Chunks and frames: libwebp keeps a note of each.
  uint32_t maximumChunks;
  FCCancellation *cancellation;
} FCWebPSource;

typedef enum __attribute__((enum_extensibility(closed))) FCWebPCompression {
  FCWebPCompressionLossy = 0,
  FCWebPCompressionLossless,
} FCWebPCompression;

typedef struct FCWebPHeader {
  /// The canvas, for an animation.
  uint32_t width, height;
  /// The first frame has alpha, or does not cover its canvas.
  bool hasTransparency;
  bool isAnimated;
  /// 1 if it is not animated; those that are there if the file is not complete.
  uint32_t frameCount;
  /// How the first frame is compressed.
  FCWebPCompression compression;
  /// The first frame on the canvas; the whole picture if the file is not animated.
  uint32_t frameX, frameY, frameWidth, frameHeight;
  /// Its chunks, alpha before pixels, as a part of the source's bytes.
  const uint8_t *_Nullable frame;
  size_t frameBytes;
  /// The file is as long as it says.
  bool isComplete;
  /// The ICC profile and the EXIF data (a TIFF structure, without "Exif\0\0"), as parts of the source's bytes; their
  /// content is not checked. EXIF data stand behind the pixels, so that a file that is not complete may lack them.
  const uint8_t *_Nullable profile;
  size_t profileCount;
  const uint8_t *_Nullable exif;
  size_t exifCount;
  /// An XMP packet, or none.
  const uint8_t *_Nullable xmp;
  size_t xmpCount;
} FCWebPHeader;

typedef struct FCWebPDecoder FCWebPDecoder;

/// NULL when there is no memory.
FCWebPDecoder *_Nullable fcwebp_decoder_create(FCWebPSource source);
void fcwebp_decoder_destroy(FCWebPDecoder *decoder);
/// What the last failed call had to say; valid until the next call.
const char *fcwebp_decoder_message(const FCWebPDecoder *decoder);

/// Any number of times.
FCWebPStatus fcwebp_decoder_read_header(FCWebPDecoder *decoder, FCWebPHeader *header);

// MARK: Decoding

/// 8 bits a sample; the number is that of bytes a pixel. Alpha is not premultiplied; asked for without it, it is
/// dropped. What the first frame of an animation leaves of its canvas is zero: transparent, or black.
typedef enum __attribute__((enum_extensibility(closed))) FCWebPColor {
  FCWebPColorRGB = 3,
  FCWebPColorRGBA = 4,
} FCWebPColor;

/// A rectangle of the picture, and the size it is given in: at most its own on both axes.
typedef struct FCWebPRegion {
  FCWebPColor color;
  uint32_t x, y, width, height;
  uint32_t outWidth, outHeight;
} FCWebPRegion;

typedef enum __attribute__((enum_extensibility(closed))) FCWebPDamageKind {
  FCWebPDamageKindNone = 0,
  FCWebPDamageKindTruncated,
  FCWebPDamageKindCorrupt,
} FCWebPDamageKind;

/// Damage that decoding stopped at.
typedef struct FCWebPDamage {
  FCWebPDamageKind kind;
  /// Rows of the region, as given, that lie wholly above the damage; those behind are zero. All of them when only the
  /// file's end is missing.
  uint32_t intactRows;
} FCWebPDamage;

/// Complete once decoding is finished.
FCWebPDamage fcwebp_decoder_damage(const FCWebPDecoder *decoder);

/// The memory, in bytes, that decoding a region takes at most, the caller's own left out; 0 before the header was read.
///
/// Measured with libwebp 1.2.4: lossless files are decoded whole inside libwebp, at 4 bytes a pixel of the picture and
/// some rows. Lossy ones need some rows (below 96 bytes a pixel of width), with alpha also 1 byte a pixel of the
/// picture for the alpha, and up to 4 more while it is decompressed. To that comes a copy of the region, at full size,
/// when libwebp's own cropping and scaling would not give the region asked for: lossy, not scaled and not the whole
/// picture (chroma of the edges); lossy, scaled from odd offsets or at most two columns; scaled from a canvas that the
/// frame does not cover.
///
/// Not counted: a lossless stream's Huffman tables, which usual encoders keep below some megabytes. A hostile file can
/// ask for 65,536 groups of them, and libwebp has no limit for that: 300 KB of file took 370 MB and 1.6 s. The caller has
/// to read from the stream how many it will be.
uint64_t fcwebp_decoder_memory(const FCWebPDecoder *decoder, FCWebPRegion region);

/// Checks the number of pixels and gets ready to decode a region into `rows`, `stride` bytes apart; `capacity` is the size of
/// `rows` in bytes. `rows` is borrowed until decoding is finished, another region is started, or the decoder is
/// destroyed. Any number of times: each decodes the file again.
///
/// A region that is not scaled has the pixels of a full decode. Scaling averages areas, weighted by alpha where libwebp
/// does so; lossy files' chroma is scaled as it is stored, before it becomes color. A picture with transparency should
/// be asked for with it when it is scaled: without, what transparent pixels count for depends on the file.
FCWebPStatus fcwebp_decoder_start_region(
  FCWebPDecoder *decoder, FCWebPRegion region, uint8_t *rows, size_t stride, size_t capacity);

/// Decodes a step: at most 64 KiB of the file, fewer if they are many pixels; of a lossless file, as much again as
/// before until libwebp gives a row of the region. `rowsReady` counts the region's rows that are complete. Once
/// `finished`, all rows are written, and `fcwebp_decoder_damage` says what they are worth.
FCWebPStatus fcwebp_decoder_decode(FCWebPDecoder *decoder, uint32_t *rowsReady, bool *finished);

// MARK: Encoding

typedef struct FCWebPEncoding {
  /// The picture's sides in pixels, at most 16,383 each.
  uint32_t width, height;
  FCWebPColor color;
  /// 0…100, libwebp's scale; of no effect on the pixels of lossless files.
  float quality;
  /// Pixels as they are, but for the colors where alpha is 0.
  bool isLossless;
  /// A lossy file's alpha as it is, for a byte a pixel: compressing it takes up to 33 bytes of memory a pixel (libwebp 1.2.4).
  bool hasRawAlpha;
  /// A lossy file's tokens stay in memory until they are written, for up to 33 bytes a pixel; otherwise they are made twice.
  bool keepsTokens;
  /// The EXIF data, a TIFF structure without "Exif\0\0", or none.
  const uint8_t *_Nullable exif;
  size_t exifCount;
  /// An XMP packet, or none.
  const uint8_t *_Nullable xmp;
  size_t xmpCount;
  /// The ICC profile, or none. Its content is not checked.
  const uint8_t *_Nullable profile;
  size_t profileCount;
  const FCCancellation *cancellation;
} FCWebPEncoding;

typedef struct FCWebPEncoder FCWebPEncoder;

/// NULL when there is no memory.
FCWebPEncoder *_Nullable fcwebp_encoder_create(void);
void fcwebp_encoder_destroy(FCWebPEncoder *encoder);
const char *fcwebp_encoder_message(const FCWebPEncoder *encoder);
/// Encodes a whole picture, once per encoder; `bytes` belong to the encoder and live as long as it.
FCWebPStatus fcwebp_encoder_encode(FCWebPEncoder *encoder, FCWebPEncoding encoding, const uint8_t *rows, size_t stride,
                                   size_t capacity, const uint8_t *_Nullable *_Nonnull bytes, size_t *count);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
