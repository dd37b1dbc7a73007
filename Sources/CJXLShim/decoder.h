/// The state that the code for headers and frames shares, and the frames of an image by their headers.
#pragma once

#include "CJXLShim.h"

#include "child.h"
#include "library.h"

/// What the child process that decodes the frame leaves for this one.
typedef struct FCJXLFrame {
  /// Bytes that libjxl has got, which this process reads meanwhile.
  _Atomic size_t given;
  FCStatus status;
  FCMessage message;
  size_t peak;
  uint32_t ticks;
  _Atomic bool isDone;
  /// Posted for each frame after the first.
  sem_t next;
  _Alignas(64) uint8_t pixels[];
} FCJXLFrame;

/// What the child process that reads the header leaves for this one. The header's parts point into `parts`.
typedef struct FCJXLPage {
  FCJXLHeader header;
  FCStatus status;
  FCMessage message;
  bool isDone;
  _Alignas(64) uint8_t parts[];
} FCJXLPage;

struct FCJXLDecoder {
  FCJXLSource source;
  /// The source's bytes, if they differ from the file.
  uint8_t *copy;
  const FCJXLLibrary *library;
  JxlDecoder *handle;
  FCJXLHeader header;
  FCJXLPage *page;
  /// Where the frame goes in the end, and its size in bytes.
  uint8_t *pixels;
  size_t capacity;
  FCJXLChild child;
  FCJXLFrame *frame;
  /// Bytes that libjxl was given and has taken.
  size_t given;
  /// The bytes that libjxl holds, their peak, and their upper bound.
  size_t held, peak, mostHeld;
  /// The bound for the work of the child.
  size_t mostForWork;
  bool hasHeader, isStarted, lacksMemory, exceedsMemory, hasTarget;
  FCMessage message;
};

/// Opens a handle of libjxl's that takes at most `memory` bytes.
FCStatus fcjxl_open(FCJXLDecoder *decoder, int events, size_t memory);

/// Replaces the source of a container with extended sizes of boxes, which libjxl before 0.11 misreads, by a copy
/// without them. Returns false if memory runs out.
bool fcjxl_shorten_sizes(FCJXLDecoder *decoder);

/// Returns the status for a call that libjxl ended with an error.
FCStatus fcjxl_fault(FCJXLDecoder *decoder, const char *message);

/// The codestream of an image, and what its header says about frames.
typedef struct FCJXLFrames {
  const uint8_t *codestream;
  size_t count;
  /// The first byte of the first frame.
  size_t start;
  uint32_t width, height, extraChannels;
  bool isXYB, isAnimated, hasTimecodes;
} FCJXLFrames;

/// Checks that the frames up to the first one that is shown, or to the last one with `allFrames`, are not larger than
/// the image. The hidden ones before a shown one may have its area together, and are few.
FCStatus fcjxl_check_frames(FCJXLDecoder *decoder, const FCJXLFrames *image);

/// Returns a copy of a file's codestream, without its boxes, which the caller frees; NULL if memory runs out. It ends
/// after `most` bytes.
uint8_t *fcjxl_codestream(const uint8_t *bytes, size_t count, size_t most, size_t *length);

/// Frees the memory of the header's parts.
void fcjxl_close_page(FCJXLDecoder *decoder);
