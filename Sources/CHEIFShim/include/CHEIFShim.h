/// libde265, dav1d and libheif behind one seam: coded pictures (HEVC, AV1) to RGB or gray, and rows of these; pixels to AVIF
/// files.
///
/// The decoders get a picture's coded data as the caller took them out of the file. libheif writes files and reads none: its
/// versions differ in the limits that they set to strangers' boxes (1.15 has none), in the decoders that they take and in how
/// they convert colors, and it takes a third of the time in which a process starts.
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
  /// There is no libheif, or none with an encoder for AV1.
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

/// A picture to encode as AVIF, by one thread. Everything is borrowed for the call.
typedef struct FCHEIFEncoding {
  uint32_t width, height;
  /// Of the pixels: 1 for gray, 3 for R, G and B, 4 with alpha behind them; 8 bits each.
  uint32_t channels;
  const uint8_t *rows;
  /// Bytes from one row to the next, and of all rows.
  size_t stride, capacity;
  /// 0 to 100, libheif's.
  int32_t quality;
  /// 0, which makes the smallest files, to 9; libaom's.
  int32_t speed;
  /// Of pictures in color, how often it is sampled.
  FCHEIFChroma chroma;
  const uint8_t *_Nullable profile;
  size_t profileCount;
  /// A TIFF structure.
  const uint8_t *_Nullable exif;
  size_t exifCount;
  const uint8_t *_Nullable xmp;
  size_t xmpCount;
  const FCCancellation *cancellation;
} FCHEIFEncoding;

/// A file in memory.
typedef struct FCHEIFFile {
  uint8_t *_Nullable bytes;
  size_t count;
} FCHEIFFile;

/// Encodes a picture; `*file` is empty unless it is well, and then the caller's to free.
FCHEIFStatus fcheif_encode_avif(FCHEIFEncoding encoding, FCHEIFFile *file, FCHEIFMessage *message);
void fcheif_file_free(FCHEIFFile file);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif

#endif
