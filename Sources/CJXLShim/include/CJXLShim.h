/// libjxl behind one seam: what a JPEG XL file says of itself, and its first frame. libjxl is loaded when it is called.
///
/// Every call that can fail returns an `FCJXLStatus`; its text is read with `…_message` before the next call on the same object.
/// An object is used by one thread at a time. Cancellation is looked at before each piece of work that libjxl gives out (a group of
/// 256 × 256 pixels, or less), and before each 256 KiB of the file.
#ifndef CJXLSHIM_H
#define CJXLSHIM_H

#include <CCancellation.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef enum __attribute__((enum_extensibility(closed))) FCJXLStatus {
  FCJXLStatusOk = 0,
  /// The file breaks the format's rules.
  FCJXLStatusCorrupt,
  /// The file ends too early.
  FCJXLStatusTruncated,
  /// A kind that is not decoded, or libjxl cannot be loaded.
  FCJXLStatusUnsupported,
  FCJXLStatusOutOfMemory,
  FCJXLStatusCancelled,
  /// The caller asked for something out of order, or gave too little memory.
  FCJXLStatusMisuse,
} FCJXLStatus;

/// What a decoder reads. The bytes and the flag are borrowed until the decoder is destroyed.
typedef struct FCJXLSource {
  const uint8_t *bytes;
  size_t count;
  /// The most bytes of the color profile and of the EXIF data, each.
  size_t maximumMetadataBytes;
  /// Of the XMP packet.
  size_t maximumXMPBytes;
  FCCancellation *cancellation;
} FCJXLSource;

typedef enum __attribute__((enum_extensibility(closed))) FCJXLMetadata {
  FCJXLMetadataNone = 0,
  FCJXLMetadataPresent,
  /// Larger than the source allows, and not kept.
  FCJXLMetadataTooLarge,
} FCJXLMetadata;

/// A part of the file that belongs to the decoder.
typedef struct FCJXLPart {
  FCJXLMetadata state;
  const uint8_t *_Nullable bytes;
  size_t count;
} FCJXLPart;

typedef struct FCJXLHeader {
  /// As stored, before it is turned.
  uint32_t width, height;
  /// By EXIF's numbers, 1…8.
  uint32_t orientation;
  /// Bits a sample.
  uint32_t bits;
  bool isGray, hasAlpha, isAnimated;
  /// Colors were changed into those of the eye (XYB), as encoders with loss do.
  bool isLossy;
  /// Channels that are no color, alpha among them.
  uint32_t extraChannels;
  /// Code points of ITU-T H.273, where the pixels' colors have some; a profile otherwise.
  bool hasCodePoints;
  uint16_t primaries, transfer;
  FCJXLPart profile;
  /// The EXIF data, a TIFF structure.
  FCJXLPart exif;
  FCJXLPart xmp;
} FCJXLHeader;

typedef struct FCJXLDecoder FCJXLDecoder;

/// NULL when there is no memory.
FCJXLDecoder *_Nullable fcjxl_decoder_create(FCJXLSource source);
void fcjxl_decoder_destroy(FCJXLDecoder *decoder);
/// What the last failed call had to say; valid until the next call.
const char *fcjxl_decoder_message(const FCJXLDecoder *decoder);

/// Reads what stands before the pixels, and the metadata on both sides of them. Nothing is decoded, and of a file that ends too early
/// it has what is there. Once per decoder.
FCJXLStatus fcjxl_decoder_read_header(FCJXLDecoder *decoder, FCJXLHeader *header);

/// Gets ready to decode the first frame into `pixels`, 8 bits a sample without gaps: gray, RGB, or, where the header has
/// alpha, RGB and alpha, which is not premultiplied. `capacity` is the size in bytes. They are borrowed until the frame is there.
FCJXLStatus fcjxl_decoder_start(FCJXLDecoder *decoder, uint8_t *pixels, size_t capacity);

/// Decodes what the next 256 KiB of the file give; `finished` with the frame's last pixel.
///
/// Of a file that ends too early, truncated: what was there is in the pixels, coarse or in parts, and zeros elsewhere.
FCJXLStatus fcjxl_decoder_decode(FCJXLDecoder *decoder, bool *finished);

/// The part of the file's bytes that libjxl has got, 0…1.
double fcjxl_decoder_fraction_read(const FCJXLDecoder *decoder);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
