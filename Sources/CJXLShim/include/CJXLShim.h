/// libjxl behind one seam: the header and the frames of a JPEG XL file. libjxl is loaded at the first call.
///
/// Child processes read the header and decode the frame, so that nothing in a file delays a cancellation, or takes more
/// memory than the caller allows.
#pragma once

#include <CBasics.h>

FC_BEGIN

/// The input of a decoder. The bytes and the flag are borrowed until the decoder is destroyed.
typedef struct FCJXLSource {
  const uint8_t *bytes;
  size_t count;
  /// The most bytes of the color profile and of the EXIF data, each.
  size_t maximumMetadataBytes;
  /// The upper bound of the XMP packet.
  size_t maximumXMPBytes;
  /// The upper bound of frames that are counted, one more than allowed.
  uint32_t maximumFrames;
  /// Whether each start decodes the next frame of an animation. Otherwise each decodes the first one.
  bool allFrames;
  FCCancellation *cancellation;
} FCJXLSource;

typedef struct FCJXLHeader {
  /// As stored, before it is turned.
  uint32_t width, height;
  /// By EXIF's numbers, 1…8.
  uint32_t orientation;
  /// Bits a sample.
  uint32_t bits;
  bool isGray, hasAlpha;
  /// The frames that are shown, as far as their headers are in the file; 1 without an animation.
  uint32_t frameCount;
  /// The times that an animation plays, 0 for forever, and the ticks of its clock in some seconds.
  uint32_t plays, ticks, seconds;
  /// Colors were changed into those of the eye (XYB), as encoders with loss do.
  bool isLossy;
  /// Channels that are no color, alpha among them.
  uint32_t extraChannels;
  /// Code points of ITU-T H.273, where the pixels' colors have some; a profile otherwise.
  bool hasCodePoints;
  uint16_t primaries, transfer;
  FCPart profile;
  /// The EXIF data, a TIFF structure.
  FCPart exif;
  FCPart xmp;
  /// The visited boxes and headers.
  uint32_t events;
} FCJXLHeader;

typedef struct FCJXLDecoder FCJXLDecoder;

/// NULL when there is no memory.
FCJXLDecoder *_Nullable fcjxl_decoder_create(FCJXLSource source);

/// Returns the bytes of a copy of the file that the decoder holds.
size_t fcjxl_decoder_copied_bytes(const FCJXLDecoder *decoder);
void fcjxl_decoder_destroy(FCJXLDecoder *decoder);
/// Returns the message of the last failed call, valid until the next call.
const char *fcjxl_decoder_message(const FCJXLDecoder *decoder);

/// Returns the length that the codestream states for its coded color profile, which takes no memory yet. The profile is
/// at most 65,536 bytes shorter. Returns 0 without a profile, or if the number is not in the first 64 KiB.
uint64_t fcjxl_decoder_profile_bytes(const FCJXLDecoder *decoder);

/// Reads the header, and the metadata before and after the pixels, without decoding, in a child process. A truncated
/// file gives its existing parts. Call it once per decoder. `memory` is the upper bound of the child's own memory.
FCStatus fcjxl_decoder_read_header(FCJXLDecoder *decoder, size_t memory, FCJXLHeader *header);

/// Starts a child process that decodes a frame for `pixels`, 8 bits a sample without gaps: gray, RGB, or, where
/// the header has alpha, RGB and alpha, which is not premultiplied. `capacity` is the size in bytes. They are borrowed
/// until the frame is there. `memory` is the upper bound of the child's own memory in bytes, and so of libjxl's.
FCStatus fcjxl_decoder_start(FCJXLDecoder *decoder, uint8_t *pixels, size_t capacity, size_t memory);

/// Returns whether libjxl takes all memory for pixels and profiles from the caller's allocator, as it does since
/// version 0.11. Older versions take only the memory of the decoder object from it.
bool fcjxl_memory_is_counted(void);

/// Returns an error if the frames up to the first shown one are larger than the image, by their headers. Where memory
/// is not counted, the child checks them before it decodes. `memory` is the upper bound of libjxl's counted memory.
FCStatus fcjxl_decoder_check_frames(FCJXLDecoder *decoder, size_t memory);

/// Returns the peak of libjxl's counted memory since the last start, in bytes.
size_t fcjxl_decoder_peak_memory(const FCJXLDecoder *decoder);

/// Waits for the frame, for at most 10 milliseconds. `finished` is set when the pixels are there.
///
/// A truncated file gives the status truncated. The pixels then hold its existing parts, coarse or incomplete, and
/// zeros elsewhere. After other errors they are unchanged.
FCStatus fcjxl_decoder_decode(FCJXLDecoder *decoder, bool *finished);

/// Returns the time of the last frame in ticks, where all frames are wanted; 0 after an error.
uint32_t fcjxl_decoder_ticks(const FCJXLDecoder *decoder);

/// The part of the file's bytes that libjxl has got, 0…1.
double fcjxl_decoder_fraction_read(const FCJXLDecoder *decoder);

FC_END
