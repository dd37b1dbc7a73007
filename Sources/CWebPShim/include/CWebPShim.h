/// libwebp behind one seam: reads the header, decodes regions of an image, and encodes.
///
/// Cancellation is checked before each step of decoding, and whenever libwebp reports progress while it encodes. Lossy
/// encoding reports often; lossless encoding of a dozen megapixels can take some seconds between reports.
#pragma once

#include <CBasics.h>

FC_BEGIN

// MARK: Header

/// The input of a decoder. It borrows the bytes and the flag until it is destroyed.
typedef struct FCWebPSource {
  const uint8_t *bytes;
  size_t count;
  /// Upper bound of the pixels of the image and of its canvas, checked when a region starts, after the header.
  uint64_t maximumPixels;
  /// Upper bound of chunks and frames; libwebp keeps a record of each.
  uint32_t maximumChunks;
  FCCancellation *cancellation;
} FCWebPSource;

typedef enum __attribute__((enum_extensibility(closed))) FCWebPCompression {
  FCWebPCompressionLossy = 0,
  FCWebPCompressionLossless,
} FCWebPCompression;

typedef struct FCWebPHeader {
  /// The image's size in pixels; for an animation, that of the canvas.
  uint32_t width, height;
  /// Whether the first frame has alpha, or does not cover its canvas.
  bool hasTransparency;
  bool isAnimated;
  /// 1 if the file is not animated; the frames present if the file is incomplete.
  uint32_t frameCount;
  /// How often an animation plays; 0 repeats it forever.
  uint32_t loopCount;
  /// The compression of the first frame.
  FCWebPCompression compression;
  /// The rectangle of the first frame on the canvas; the whole image if the file is not animated.
  uint32_t frameX, frameY, frameWidth, frameHeight;
  /// The chunks of the first frame, alpha before pixels, inside the source's bytes.
  FCBytes frame;
  /// Whether the file is as long as it declares.
  bool isComplete;
  /// The ICC profile, the EXIF data (a TIFF structure without "Exif\0\0"), and an XMP packet, inside the source's
  /// bytes. EXIF data follow the pixels, so an incomplete file may lack them.
  FCBytes profile, exif, xmp;
} FCWebPHeader;

typedef struct FCWebPDecoder FCWebPDecoder;

/// Creates a decoder, or returns NULL if memory runs out.
FCWebPDecoder *_Nullable fcwebp_decoder_create(FCWebPSource source);
void fcwebp_decoder_destroy(FCWebPDecoder *decoder);
/// Returns the message of the last failed call, valid until the next call.
const char *fcwebp_decoder_message(const FCWebPDecoder *decoder);

/// Reads the header. Call it any number of times.
FCStatus fcwebp_decoder_read_header(FCWebPDecoder *decoder, FCWebPHeader *header);

/// A frame of an animation (RFC 9649, 2.7.1.1), and its rectangle on the canvas.
typedef struct FCWebPFrame {
  uint32_t x, y, width, height, milliseconds;
  /// Whether its pixels are blended over the canvas, and whether its rectangle is cleared after it.
  bool isBlended, isCleared;
} FCWebPFrame;

/// Selects the frame that regions are decoded from, 0 for the first. Until then it is the first one. The header's
/// properties of the first frame are then those of this one.
FCStatus fcwebp_decoder_select_frame(FCWebPDecoder *decoder, uint32_t index, FCWebPFrame *frame);

// MARK: Decoding

/// A rectangle of the image, and its output size, which is at most its own on both axes.
typedef struct FCWebPRegion {
  /// RGB or RGBA. Alpha is dropped for RGB. Canvas that the first frame of an animation does not cover is zero:
  /// transparent, or black.
  FCColor color;
  uint32_t x, y, width, height;
  uint32_t outWidth, outHeight;
} FCWebPRegion;

/// Returns the damage that decoding stopped at; complete once decoding is finished. Rows are output rows of the region:
/// all if only the end is missing. Rows below the intact ones are zero. There are no passes or remarks.
FCDamage fcwebp_decoder_damage(const FCWebPDecoder *decoder);

/// Returns an upper bound, in bytes, for the memory to decode a region, without the caller's; 0 without a header.
///
/// Measured with libwebp 1.2.4. Lossless files are decoded as a whole, at 4 bytes a pixel of the image and some rows.
/// Lossy files need some rows (below 96 bytes a pixel of width). Alpha needs 1 more byte a pixel, and up to 4 while it
/// is decompressed. Some regions need a copy at full size. These are lossy parts that are not scaled, are scaled from
/// odd offsets, or have at most two columns. Scaled regions that the frame does not cover need one too.
///
/// Not counted are a lossless stream's Huffman tables, usually some megabytes, which libwebp does not limit. A hostile
/// file of 300 KB with 65,536 groups took 370 MB and 1.6 s. The caller must read their number from the stream.
uint64_t fcwebp_decoder_memory(const FCWebPDecoder *decoder, FCWebPRegion region);

/// Checks the number of pixels and prepares to decode a region into `rows`. Each region decodes the file again.
///
/// Without scaling, the pixels are those of a full decode. Scaling averages areas, weighted by alpha where libwebp does
/// so; lossy chroma is scaled before the conversion to RGB. Scale a transparent image to RGBA: for RGB, the weight of
/// transparent pixels depends on the file.
///
/// - rows: borrowed until decoding finishes, another region starts, or the decoder is destroyed.
/// - stride, capacity: bytes from one row to the next, and the size of `rows` in bytes.
FCStatus fcwebp_decoder_start_region(
  FCWebPDecoder *decoder, FCWebPRegion region, uint8_t *rows, size_t stride, size_t capacity);

/// Decodes a step of at most 64 KiB of the file, less if these hold many pixels. In a lossless file the step doubles
/// until libwebp gives a row of the region. `rowsReady` counts the complete rows. Once `finished`, all rows are
/// written; check `fcwebp_decoder_damage`.
FCStatus fcwebp_decoder_decode(FCWebPDecoder *decoder, uint32_t *rowsReady, bool *finished);

// MARK: Encoding

typedef struct FCWebPEncoding {
  /// The image's sides in pixels, at most 16,383 each.
  uint32_t width, height;
  /// RGB or RGBA.
  FCColor color;
  /// 0…100, libwebp's scale; lossless pixels do not depend on it.
  float quality;
  /// Exact pixels, except for colors where alpha is 0.
  bool isLossless;
  /// Raw alpha of a lossy file, at a byte a pixel. Compressing takes up to 33 bytes a pixel (libwebp 1.2.4).
  bool hasRawAlpha;
  /// Whether a lossy file's tokens stay in memory, at up to 33 bytes a pixel, instead of being made twice.
  bool keepsTokens;
  FCAttachments attachments;
  const FCCancellation *cancellation;
} FCWebPEncoding;

/// Encodes a whole image. Free `file` with `fcwebp_file_free`; it has no bytes after a failure.
FCStatus fcwebp_encode(
  FCWebPEncoding encoding, const uint8_t *rows, size_t stride, size_t capacity, FCBytes *file, FCMessage *message);
void fcwebp_file_free(FCBytes file);

// MARK: Animations

typedef struct FCWebPAnimation FCWebPAnimation;

/// Creates an encoder for animations, or returns NULL if memory runs out. Calls after a failed one fail, too.
FCWebPAnimation *_Nullable fcwebp_animation_create(void);
void fcwebp_animation_destroy(FCWebPAnimation *animation);
const char *fcwebp_animation_message(const FCWebPAnimation *animation);

/// Begins an animation that plays `loops` times, or forever for 0. Color and attachments of `encoding` are not used.
FCStatus fcwebp_animation_start(FCWebPAnimation *animation, FCWebPEncoding encoding, uint32_t loops);

/// Adds a frame that shows from a time in milliseconds on; times do not decrease. Cancellation is checked before it.
/// libwebp encodes a frame up to four times, and keeps the smallest.
FCStatus fcwebp_animation_add(FCWebPAnimation *animation, FCColor color, const uint8_t *rows, size_t stride,
                              size_t capacity, int32_t milliseconds);

/// Ends the last frame at a time. The bytes of `file` live as long as the encoder.
FCStatus fcwebp_animation_finish(
  FCWebPAnimation *animation, FCAttachments attachments, int32_t milliseconds, FCBytes *file);

FC_END
