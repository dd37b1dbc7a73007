/// The frames of a JPEG XL image, by their headers.
#ifndef FCJXL_FRAMES_H
#define FCJXL_FRAMES_H

#include "decoder.h"

/// The codestream of an image, and what its header says about frames.
typedef struct FCJXLFrames {
  const uint8_t *codestream;
  size_t count;
  /// The first byte of the first frame.
  size_t start;
  uint32_t width, height, extraChannels;
  bool isXYB, isAnimated, hasTimecodes;
} FCJXLFrames;

/// Checks that the frames up to the first one that is shown are not larger than the image. The earlier ones together
/// may have its area.
FCJXLStatus fcjxl_check_frames(FCJXLDecoder *decoder, const FCJXLFrames *image);

/// Returns a copy of a file's codestream, without its boxes, which the caller frees; NULL if memory runs out.
uint8_t *fcjxl_codestream(const uint8_t *bytes, size_t count, size_t *length);

#endif
