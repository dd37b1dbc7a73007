/// libde265, dav1d and libaom behind one seam: decodes HEVC and AV1 images to RGB or gray, and encodes AV1.
///
/// The caller extracts the coded data from the file for the decoders, and writes the file around the encoder's output.
///
/// The libraries cannot stop inside an image, so cancellation is checked before and after each pass.
#pragma once

#include <CBasics.h>

FC_BEGIN

typedef enum __attribute__((enum_extensibility(closed))) FCHEIFCodec {
  FCHEIFCodecHEVC = 0,
  FCHEIFCodecAV1,
} FCHEIFCodec;

/// The chroma subsampling.
typedef enum __attribute__((enum_extensibility(closed))) FCHEIFChroma {
  FCHEIFChromaMonochrome = 0,
  FCHEIFChromaYUV420,
  FCHEIFChromaYUV422,
  FCHEIFChromaYUV444,
} FCHEIFChroma;

/// A coded image and its configuration. Borrowed while it is decoded.
typedef struct FCHEIFSource {
  FCHEIFCodec codec;
  /// The configuration's units, then the image's. AV1 units are unchanged (AV1 specification, 5.3). Each HEVC unit
  /// follows its length in four bytes, highest first.
  const uint8_t *data;
  size_t count;
  FCHEIFChroma chroma;
  /// Bits of a sample.
  uint32_t depth;
  /// Upper bounds of the sides of an AV1 frame; a larger one is corrupt. The caller checks the sizes of HEVC.
  uint32_t maximumWidth, maximumHeight;
  /// Upper bound of the frames in memory that decoding one AV1 image takes; more are corrupt.
  uint32_t maximumFrames;
  /// Selects the layers of an AV1 image that are decoded (AV1 specification, 7.2.1).
  uint32_t operatingPoint;
  /// Matrix and range from the file, which override the bitstream's.
  bool hasMatrix;
  int32_t matrix;
  bool isFullRange;
  const FCCancellation *cancellation;
} FCHEIFSource;

/// A decoded image: 8-bit R, G and B, or gray.
typedef struct FCHEIFPicture FCHEIFPicture;

/// Decodes an image without transformations; `*picture` is NULL after a failure. The matrix and the range of the
/// samples are the file's or, if that has none, the bitstream's.
FCStatus fcheif_picture_decode(
  FCHEIFSource source, FCHEIFPicture *_Nullable *_Nonnull picture, FCMessage *message);
void fcheif_picture_destroy(FCHEIFPicture *picture);

uint32_t fcheif_picture_width(const FCHEIFPicture *picture);
uint32_t fcheif_picture_height(const FCHEIFPicture *picture);

/// Copies the first `channels` channels (R, G and B, or only gray) of `count` pixels of row `y`, from column `x` on.
/// The pixels must lie in the image. Writes 8 bits a channel, `step` bytes a pixel.
void fcheif_picture_read(
  const FCHEIFPicture *picture, uint32_t x, uint32_t y, uint32_t count, uint32_t channels, uint8_t *out, size_t step);

// MARK: Sequences

/// A decoder of the images of a sequence. Only those of AV1 may be predicted from earlier ones. Its frames stay in
/// memory while others may need them: eight, the current one, and one with film grain (AV1 specification, 7.20).
typedef struct FCHEIFSequence FCHEIFSequence;

enum { FCHEIFSequenceFrames = 10 };
/// The most frames that one image of a sequence may add.
enum { FCHEIFSequenceImageFrames = 8 };

/// Creates a decoder; `*sequence` is NULL after a failure. The data of `source` are not used, and the flag must outlive
/// the decoder.
FCStatus fcheif_sequence_create(
  FCHEIFSource source, FCHEIFSequence *_Nullable *_Nonnull sequence, FCMessage *message);
void fcheif_sequence_destroy(FCHEIFSequence *sequence);

/// Decodes the next image from its units, as in `FCHEIFSource`; `*picture` is NULL after a failure.
FCStatus fcheif_sequence_decode(
  FCHEIFSequence *sequence, const uint8_t *data, size_t count, FCHEIFPicture *_Nullable *_Nonnull picture,
  FCMessage *message);

// MARK: Encoding

/// The upper bound of libaom.
enum { FCHEIFLargestSide = 65535 };

/// An image to encode on one thread. Everything is borrowed for the call.
typedef struct FCHEIFEncoding {
  uint32_t width, height;
  /// Channels of the pixels, 8 bits each: 1 for gray, 3 for R, G and B, 4 for R, G, B and alpha.
  uint32_t channels;
  const uint8_t *rows;
  /// Bytes from one row to the next, and of all rows.
  size_t stride, capacity;
  /// 0 to 100.
  int32_t quality;
  /// libaom's speed, 0 to 9; 0 makes the smallest files.
  int32_t speed;
  /// The chroma subsampling of color images.
  FCHEIFChroma chroma;
  /// The color primaries, transfer function, and matrix of the samples, as numbers of ITU-T H.273. Their range is full.
  int32_t primaries, transfer, matrix;
  /// Upper bound of the bytes that encoding takes. Without as much memory, the status is FCStatusOutOfMemory.
  size_t memory;
  const FCCancellation *cancellation;
} FCHEIFEncoding;

/// Encodes an image as AV1: its colors, and its alpha channel, if any, as a separate gray image. Both are units of one
/// frame (AV1 specification, 5.3) that the caller frees; they are empty after a failure. Returns `FCStatusUnsupported`
/// if libaom is missing, or cannot encode the image.
FCStatus fcheif_encode_av1(FCHEIFEncoding encoding, FCBytes *color, FCBytes *alpha, FCMessage *message);
void fcheif_file_free(FCBytes file);

FC_END
