/// libde265, dav1d and libaom behind one seam: coded pictures (HEVC, AV1) to RGB or gray, and rows of these; pixels to AV1.
///
/// The decoders get a picture's coded data as the caller took them out of the file, and the caller writes the file around what
/// the encoder gives.
///
/// Nothing is written to standard error. A picture is used by one thread at a time. None of the libraries can be stopped
/// inside of a picture: cancellation is looked at before and after each pass.
#ifndef CHEIFSHIM_H
#define CHEIFSHIM_H

#include <CCancellation.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef enum __attribute__((enum_extensibility(closed))) FCHEIFStatus {
  FCHEIFStatusOk = 0,
  /// The data break the codec's rules, or are not what the source says.
  FCHEIFStatusCorrupt,
  /// There is no libaom, or it cannot encode the image.
  FCHEIFStatusUnsupported,
  FCHEIFStatusOutOfMemory,
  FCHEIFStatusCancelled,
} FCHEIFStatus;

typedef enum __attribute__((enum_extensibility(closed))) FCHEIFCodec {
  FCHEIFCodecHEVC = 0,
  FCHEIFCodecAV1,
} FCHEIFCodec;

/// How often color was sampled.
typedef enum __attribute__((enum_extensibility(closed))) FCHEIFChroma {
  FCHEIFChromaMonochrome = 0,
  FCHEIFChromaYUV420,
  FCHEIFChromaYUV422,
  FCHEIFChromaYUV444,
} FCHEIFChroma;

/// A coded picture, and what its configuration says of it. Borrowed while it is decoded.
typedef struct FCHEIFSource {
  FCHEIFCodec codec;
  /// The configuration's units, then the picture's: AV1's as they are (AV1 specification, 5.3), HEVC's each behind its length of
  /// four bytes, the first byte the highest.
  const uint8_t *data;
  size_t count;
  FCHEIFChroma chroma;
  /// Bits a sample.
  uint32_t depth;
  /// The most pixels of a frame of AV1, each of which says its size anew: more is corrupt. The caller checks HEVC's sizes.
  uint32_t maximumFramePixels;
  /// The file's word on the samples, which goes before the bitstream's.
  bool hasMatrix;
  int32_t matrix;
  bool isFullRange;
  const FCCancellation *cancellation;
} FCHEIFSource;

/// What a failed call had to say.
typedef struct FCHEIFMessage {
  char text[200];
} FCHEIFMessage;

/// A decoded picture: R, G and B, or gray, of 8 bits.
typedef struct FCHEIFPicture FCHEIFPicture;

/// Decodes a picture, without transformations; `*picture` is NULL unless it is well.
///
/// The matrix and the range of its samples are the file's or, where that says nothing, the bitstream's.
FCHEIFStatus fcheif_picture_decode(
  FCHEIFSource source, FCHEIFPicture *_Nullable *_Nonnull picture, FCHEIFMessage *message);
void fcheif_picture_destroy(FCHEIFPicture *picture);

uint32_t fcheif_picture_width(const FCHEIFPicture *picture);
uint32_t fcheif_picture_height(const FCHEIFPicture *picture);

/// Writes `count` pixels of a row from column `x` on, which must lie in the picture, in their first channels: R, G and B, or
/// gray alone. 8 bits a channel, `step` bytes a pixel.
void fcheif_picture_read(
  const FCHEIFPicture *picture, uint32_t x, uint32_t y, uint32_t count, uint32_t channels, uint8_t *out, size_t step);

// MARK: Encoding

enum { FCHEIFLargestSide = 65536 };

/// An image to encode, by one thread. Everything is borrowed for the call.
typedef struct FCHEIFEncoding {
  uint32_t width, height;
  /// Of the pixels: 1 for gray, 3 for R, G and B, 4 with alpha behind them; 8 bits each.
  uint32_t channels;
  const uint8_t *rows;
  /// Bytes from one row to the next, and of all rows.
  size_t stride, capacity;
  /// 0 to 100.
  int32_t quality;
  /// 0, which makes the smallest files, to 9; libaom's.
  int32_t speed;
  /// Of images in color, how often it is sampled.
  FCHEIFChroma chroma;
  /// The samples' color primaries, transfer function, and matrix, by the numbers of ITU-T H.273. Their range is full.
  int32_t primaries, transfer, matrix;
  const FCCancellation *cancellation;
} FCHEIFEncoding;

/// Bytes in memory.
typedef struct FCHEIFFile {
  uint8_t *_Nullable bytes;
  size_t count;
} FCHEIFFile;

/// Encodes an image as AV1: its colors, and its alpha channel, where it has one, as a gray image of its own. Both are units (AV1
/// specification, 5.3) of one frame, and the caller's to free; empty unless all is well.
FCHEIFStatus fcheif_encode_av1(FCHEIFEncoding encoding, FCHEIFFile *color, FCHEIFFile *alpha, FCHEIFMessage *message);
void fcheif_file_free(FCHEIFFile file);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif

#endif
