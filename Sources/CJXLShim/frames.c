/// The numbers in headers that libjxl uses before its caller can look at them (ISO/IEC 18181-1).
///
/// One is the length of the color profile (annex B). Others are the sizes of the frames before the first one that is
/// shown (annexes C and F). They are layers, references for patches, and coarse versions, and each can be far larger
/// than the image.
///
/// libjxl before version 0.11 takes the memory for them without a bound. So such frames are refused here. Newer
/// versions take it from the caller's allocator.
#include "decoder.h"

#include <stdlib.h>

// MARK: Bits

/// Bits of a codestream, from the low end of each byte. Reading past the end gives zeros and sets `isCut`.
typedef struct Bits {
  const uint8_t *bytes;
  size_t count;
  uint64_t at;
  bool isCut;
} Bits;

static uint32_t take(Bits *bits, uint32_t count) {
  uint32_t value = 0;
  for (uint32_t i = 0; i < count; i++, bits->at++) {
    const uint64_t byte = bits->at >> 3;
    if (byte >= bits->count) {
      bits->isCut = true;
      return 0;
    }
    value |= (uint32_t)(bits->bytes[byte] >> (bits->at & 7) & 1) << i;
  }
  return value;
}

static void skip(Bits *bits, uint64_t count) {
  const uint64_t left = (uint64_t)bits->count * 8 - bits->at;
  if (count > left) bits->isCut = true;
  bits->at += count < left ? count : left;
}

static void align(Bits *bits) { bits->at = (bits->at + 7) & ~(uint64_t)7; }

/// One of four ways to code a number: some bits, and what is added to them.
typedef struct Way {
  uint8_t bits;
  uint32_t added;
} Way;

static uint32_t take_number(Bits *bits, const Way ways[4]) {
  const Way way = ways[take(bits, 2)];
  return take(bits, way.bits) + way.added;
}

/// Reads a number of up to 64 bits.
static uint64_t take_long(Bits *bits) {
  switch (take(bits, 2)) {
    case 0: return 0;
    case 1: return 1 + take(bits, 4);
    case 2: return 17 + take(bits, 8);
    default: break;
  }
  uint64_t value = take(bits, 12);
  for (uint32_t shift = 12; take(bits, 1) != 0; shift += 8) {
    value |= (uint64_t)take(bits, shift == 60 ? 4 : 8) << shift;
    if (shift == 60) break;
  }
  return value;
}

static void skip_extensions(Bits *bits) {
  uint64_t length = 0;
  for (uint64_t kinds = take_long(bits); kinds != 0; kinds &= kinds - 1) {
    if (__builtin_add_overflow(length, take_long(bits), &length)) bits->isCut = true;
  }
  skip(bits, length);
}

// MARK: Frame headers

enum { FrameRegular = 0, FrameCoarse = 1, FrameReference = 2, FrameProgressive = 3 };
enum { BlendReplace = 0, BlendOver = 2, BlendWeighted = 3, BlendMultiply = 4 };

static const Way oneToFour[4] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}};
static const Way powers[4] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}};

typedef struct Frame {
  uint32_t kind;
  bool isModular, isLast;
  uint32_t width, height;
  /// The factor by which the frame is coded smaller, the side of its groups in pixels, and the passes over them.
  uint32_t upsampling, group, passes;
  /// How often it is halved, three times for each level.
  uint32_t level;
  uint32_t duration, reference;
  uint32_t blending;
  bool isPartial;
} Frame;

static uint32_t take_blending(Bits *bits, uint32_t extraChannels, bool isPartial) {
  static const Way modes[4] = {{0, 0}, {0, 1}, {0, 2}, {2, 3}};
  static const Way channels[4] = {{0, 0}, {0, 1}, {0, 2}, {3, 3}};
  const uint32_t mode = take_number(bits, modes);
  const bool usesAlpha = extraChannels > 0 && (mode == BlendOver || mode == BlendWeighted);
  if (usesAlpha) (void)take_number(bits, channels);
  if (usesAlpha || mode == BlendMultiply) (void)take(bits, 1);
  if (mode != BlendReplace || isPartial) (void)take(bits, 2);
  return mode;
}

static void take_passes(Bits *bits, Frame *frame) {
  static const Way passes[4] = {{0, 1}, {0, 2}, {0, 3}, {3, 4}};
  static const Way coarse[4] = {{0, 0}, {0, 1}, {0, 2}, {1, 3}};
  static const Way last[4] = {{0, 0}, {0, 1}, {0, 2}, {3, 0}};
  frame->passes = take_number(bits, passes);
  if (frame->passes == 1) return;
  const uint32_t count = take_number(bits, coarse);
  skip(bits, 2 * (frame->passes - 1));
  for (uint32_t i = 0; i < count; i++) (void)take_number(bits, powers);
  for (uint32_t i = 0; i < count; i++) (void)take_number(bits, last);
}

static int32_t signed_of(uint32_t packed) { return (int32_t)(packed >> 1 ^ (~(packed & 1) + 1)); }

static void take_area(Bits *bits, const FCJXLFrames *image, Frame *frame) {
  static const Way sides[4] = {{8, 0}, {11, 256}, {14, 2304}, {30, 18688}};
  const bool isPlaced = frame->kind == FrameRegular || frame->kind == FrameProgressive;
  int64_t x = 0, y = 0;
  if (isPlaced) {
    x = signed_of(take_number(bits, sides));
    y = signed_of(take_number(bits, sides));
  }
  frame->width = take_number(bits, sides);
  frame->height = take_number(bits, sides);
  frame->isPartial =
    isPlaced && (x > 0 || y > 0 || x + frame->width < image->width || y + frame->height < image->height);
}

/// Reads a header up to the frame's place in the sequence. What follows is needed only if another frame follows.
static Frame take_frame(Bits *bits, const FCJXLFrames *image) {
  Frame frame = {
    .isLast = true, .width = image->width, .height = image->height, .upsampling = 1, .group = 256, .passes = 1};
  if (take(bits, 1) != 0) return frame;
  frame.kind = take(bits, 2);
  frame.isModular = take(bits, 1) != 0;
  const bool usesCoarseFrame = (take_long(bits) & 32) != 0;
  const bool isYCbCr = !image->isXYB && take(bits, 1) != 0;
  if (!usesCoarseFrame) {
    if (isYCbCr) skip(bits, 6);
    frame.upsampling = take_number(bits, powers);
    for (uint32_t i = 0; i < image->extraChannels && !bits->isCut; i++) (void)take_number(bits, powers);
  }
  if (frame.isModular) {
    frame.group = 128u << take(bits, 2);
  } else if (image->isXYB) {
    skip(bits, 6);
  }
  if (frame.kind != FrameReference) take_passes(bits, &frame);
  if (frame.kind == FrameCoarse) {
    frame.level = take_number(bits, oneToFour);
  } else if (take(bits, 1) != 0) {
    take_area(bits, image, &frame);
  }
  frame.isLast = false;
  if (frame.kind == FrameCoarse || frame.kind == FrameReference) return frame;
  frame.blending = take_blending(bits, image->extraChannels, frame.isPartial);
  for (uint32_t i = 0; i < image->extraChannels && !bits->isCut; i++) {
    (void)take_blending(bits, image->extraChannels, frame.isPartial);
  }
  if (image->isAnimated) {
    static const Way durations[4] = {{0, 0}, {0, 1}, {8, 0}, {32, 0}};
    frame.duration = take_number(bits, durations);
    if (image->hasTimecodes) skip(bits, 32);
  }
  frame.isLast = take(bits, 1) != 0 && frame.kind == FrameRegular;
  return frame;
}

static void skip_filter(Bits *bits, bool isModular) {
  const uint32_t number = 16;
  if (take(bits, 1) != 0) return;
  if (take(bits, 1) != 0 && take(bits, 1) != 0) skip(bits, 6 * number);
  if (take(bits, 2) > 0) {
    if (!isModular && take(bits, 1) != 0) skip(bits, 8 * number);
    if (take(bits, 1) != 0) skip(bits, 5 * number);
    if (take(bits, 1) != 0) skip(bits, (isModular ? 3 : 4) * number);
    if (isModular) skip(bits, number);
  }
  skip_extensions(bits);
}

static uint64_t parts(uint64_t length, uint64_t part) { return (length + part - 1) / part; }

/// Skips the rest of a header, and the frame's data. Returns false if the length of the data is unknown.
static bool skip_rest(Bits *bits, const Frame *frame) {
  static const Way lengths[4] = {{0, 0}, {4, 0}, {5, 16}, {10, 48}};
  static const Way sizes[4] = {{10, 0}, {14, 1024}, {22, 17408}, {30, 4211712}};
  const bool isCoarse = frame->kind == FrameCoarse;
  const uint32_t reference = isCoarse ? 0 : take(bits, 2);
  const bool isReferred = !isCoarse && (frame->duration == 0 || reference != 0);
  const bool isWhole = frame->blending == BlendReplace && !frame->isPartial;
  if (frame->kind == FrameReference || (isReferred && isWhole)) (void)take(bits, 1);
  skip(bits, (uint64_t)take_number(bits, lengths) * 8);
  skip_filter(bits, frame->isModular);
  skip_extensions(bits);

  const uint64_t width = parts(parts(frame->width, 1u << (3 * frame->level)), frame->upsampling);
  const uint64_t height = parts(parts(frame->height, 1u << (3 * frame->level)), frame->upsampling);
  const uint64_t groups = parts(width, frame->group) * parts(height, frame->group);
  const uint64_t coarseGroups = parts(parts(width, 8), frame->group) * parts(parts(height, 8), frame->group);
  const uint64_t entries = groups == 1 && frame->passes == 1 ? 1 : 2 + coarseGroups + groups * frame->passes;
  // The order of a permuted table is coded so that only a decoder finds its end.
  if (take(bits, 1) != 0 || entries > (uint64_t)bits->count) return false;
  align(bits);
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < entries && !bits->isCut; i++) bytes += take_number(bits, sizes);
  align(bits);
  skip(bits, bytes * 8);
  return true;
}

// MARK: The frames of an image

/// The area that frames before the shown one may have in any image, for small ones.
static const uint64_t leastArea = (uint64_t)1 << 16;

/// The upper bound of frames before the shown one. libjxl blends each layer with the whole image, however small it is.
enum { mostFrames = 16 };

FCStatus fcjxl_check_frames(FCJXLDecoder *decoder, const FCJXLFrames *image) {
  Bits bits = {image->codestream, image->count, (uint64_t)image->start * 8, false};
  uint64_t mostArea = (uint64_t)image->width * image->height;
  if (mostArea < leastArea) mostArea = leastArea;
  uint64_t area = 0;
  uint32_t frames = 0;
  bool hasShown = false;
  while (true) {
    const Frame frame = take_frame(&bits, image);
    if (bits.isCut) break;
    const bool isShown = frame.isLast || frame.duration > 0;
    const uint64_t own = parts(frame.width, 1u << (3 * frame.level)) * parts(frame.height, 1u << (3 * frame.level));
    if (isShown) area = 0;
    area += own;
    if (area > mostArea) {
      return fc_refuse(&decoder->message, FCStatusTooMuchMemory, "its layers need more memory than such an image may");
    }
    if (frame.isLast || (isShown && !decoder->source.allFrames)) return FCStatusOk;
    if (isShown) {
      area = 0;
      frames = 0;
      hasShown = true;
    } else if (++frames > mostFrames) {
      return fc_refuse(&decoder->message, FCStatusUnsupported, "it has more than 16 layers (save it as one layer)");
    }
    if (!skip_rest(&bits, &frame)) {
      return fc_refuse(
        &decoder->message, FCStatusUnsupported, "the memory for its layers is unknown (use libjxl 0.11 or later)");
    }
    if (bits.isCut) break;
  }
  if (hasShown) return FCStatusOk;
  return fc_refuse(&decoder->message, FCStatusTruncated, "the file ends before its first frame");
}

// MARK: The profile

static void skip_size(Bits *bits, const Way ways[4], const Way eighths[4]) {
  const bool isSmall = take(bits, 1) != 0;
  const Way *way = isSmall ? eighths : ways;
  (void)take_number(bits, way);
  if (take(bits, 3) == 0) (void)take_number(bits, way);
}

/// Skips the size of the image. That of eight pixels has no choice of ways.
static void skip_image_size(Bits *bits) {
  static const uint8_t widths[4] = {9, 13, 18, 30};
  const bool isSmall = take(bits, 1) != 0;
  skip(bits, isSmall ? 5 : widths[take(bits, 2)]);
  if (take(bits, 3) == 0) skip(bits, isSmall ? 5 : widths[take(bits, 2)]);
}

static void skip_bit_depth(Bits *bits) {
  static const Way whole[4] = {{0, 8}, {0, 10}, {0, 12}, {6, 1}}, floating[4] = {{0, 32}, {0, 16}, {0, 24}, {6, 1}};
  const bool isFloating = take(bits, 1) != 0;
  (void)take_number(bits, isFloating ? floating : whole);
  if (isFloating) skip(bits, 4);
}

static const Way kinds[4] = {{0, 0}, {0, 1}, {4, 2}, {6, 18}};

static void skip_channel(Bits *bits) {
  static const Way shifts[4] = {{0, 0}, {0, 3}, {0, 4}, {3, 1}}, names[4] = {{0, 0}, {4, 0}, {5, 16}, {10, 48}};
  static const Way filters[4] = {{0, 1}, {2, 0}, {4, 3}, {8, 19}};
  enum { Alpha = 0, Spot = 2, Filter = 5 };
  if (take(bits, 1) != 0) return;
  const uint32_t kind = take_number(bits, kinds);
  skip_bit_depth(bits);
  (void)take_number(bits, shifts);
  skip(bits, (uint64_t)take_number(bits, names) * 8);
  if (kind == Alpha) skip(bits, 1);
  if (kind == Spot) skip(bits, 64);
  if (kind == Filter) (void)take_number(bits, filters);
}

/// Skips orientation, preview and animation.
static void skip_extra_fields(Bits *bits) {
  static const Way sides[4] = {{6, 1}, {8, 65}, {10, 321}, {12, 1345}};
  static const Way eighths[4] = {{0, 16}, {0, 32}, {5, 1}, {9, 33}};
  static const Way ticks[4] = {{0, 100}, {0, 1000}, {10, 1}, {30, 1}}, parts[4] = {{0, 1}, {0, 1001}, {8, 1}, {10, 1}};
  static const Way loops[4] = {{0, 0}, {3, 0}, {16, 0}, {32, 0}};
  skip(bits, 3);
  if (take(bits, 1) != 0) skip_image_size(bits);
  if (take(bits, 1) != 0) skip_size(bits, sides, eighths);
  if (take(bits, 1) != 0) {
    (void)take_number(bits, ticks);
    (void)take_number(bits, parts);
    (void)take_number(bits, loops);
    skip(bits, 1);
  }
}

/// Skips the conversion from XYB, and the weights for enlarging.
static void skip_transform(Bits *bits, bool isXYB) {
  if (take(bits, 1) != 0) return;
  if (isXYB && take(bits, 1) == 0) skip(bits, 16 * 16);
  const uint32_t weights = take(bits, 3);
  skip(bits, (weights & 1 ? 15 * 16 : 0) + (weights & 2 ? 55 * 16 : 0) + (weights & 4 ? 210 * 16 : 0));
}

/// Returns the length of the color profile in a codestream; 0 without one.
static uint64_t profile_bytes(Bits *bits) {
  static const Way channels[4] = {{0, 0}, {0, 1}, {4, 2}, {12, 1}};
  skip(bits, 16);
  skip_image_size(bits);
  if (take(bits, 1) != 0) return 0;
  const bool hasExtraFields = take(bits, 1) != 0;
  if (hasExtraFields) skip_extra_fields(bits);
  skip_bit_depth(bits);
  skip(bits, 1);
  for (uint32_t left = take_number(bits, channels); left > 0 && !bits->isCut; left--) skip_channel(bits);
  const bool isXYB = take(bits, 1) != 0;
  // The colors are the usual ones, or have code points.
  if (take(bits, 1) != 0 || take(bits, 1) == 0) return 0;
  (void)take_number(bits, kinds);
  if (hasExtraFields && take(bits, 1) == 0) skip(bits, 3 * 16 + 1);
  skip_extensions(bits);
  skip_transform(bits, isXYB);
  const uint64_t count = take_long(bits);
  return bits->isCut ? 0 : count;
}

uint64_t fcjxl_decoder_profile_bytes(const FCJXLDecoder *decoder) {
  const size_t most = 64 << 10;
  size_t count = 0;
  uint8_t *bytes = fcjxl_codestream(decoder->source.bytes, decoder->source.count, most, &count);
  if (bytes == NULL) return 0;
  Bits bits = {bytes, count, 0, false};
  const uint64_t length = profile_bytes(&bits);
  free(bytes);
  return length;
}
