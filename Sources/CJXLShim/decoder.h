/// The state that the code for headers and frames shares.
#ifndef FCJXL_DECODER_H
#define FCJXL_DECODER_H

#include "CJXLShim.h"

#include "library.h"

struct FCJXLDecoder {
  FCJXLSource source;
  const FCJXLLibrary *library;
  JxlDecoder *handle;
  FCJXLHeader header;
  /// The memory that the header's parts point to.
  uint8_t *profile, *exif, *xmp;
  /// Where the frame goes, until it is there.
  uint8_t *pixels;
  size_t capacity;
  /// Bytes that libjxl was given and has taken.
  size_t given;
  /// The bytes that libjxl holds, their peak, and their upper bound.
  size_t held, peak, mostHeld;
  bool hasHeader, isStarted, isCancelled, lacksMemory, exceedsMemory, hasTarget;
  const char *message;
};

/// The status, with its text noted, a string of static life.
FCJXLStatus fcjxl_refuse(FCJXLDecoder *decoder, FCJXLStatus status, const char *message);

/// Opens a handle of libjxl's that stops where the flag is set, and takes at most `memory` bytes.
FCJXLStatus fcjxl_open(FCJXLDecoder *decoder, int events, size_t memory);

/// Returns the status for a call that libjxl ended with an error.
FCJXLStatus fcjxl_fault(FCJXLDecoder *decoder, const char *message);

#endif
