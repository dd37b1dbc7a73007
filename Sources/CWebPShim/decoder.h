/// The decoder's state, shared by its files.
#ifndef FCWEBP_DECODER_H
#define FCWEBP_DECODER_H

#include "seam.h"

#include <webp/decode.h>

typedef struct FCWebPRect {
  uint32_t x, y, width, height;
} FCWebPRect;

/// How a region is decoded; see `plan.c`.
typedef struct FCWebPPlan {
  /// The part of the region that the frame covers, in the region.
  FCWebPRect covered;
  /// What libwebp decodes, in the frame, and the size it scales it to.
  FCWebPRect decoded;
  bool isScaled;
  uint32_t scaledWidth, scaledHeight;
  /// Libwebp decodes into memory of our own, and `covered` begins there at this place.
  bool usesCopy;
  uint32_t copyX, copyY;
  uint64_t copyBytes;
} FCWebPPlan;

struct FCWebPDecoder {
  FCWebPSource source;
  const char *message;
  FCWebPDamage damage;

  bool hasHeader;
  FCWebPHeader header;
  /// The first frame's own data: part of the source's bytes.
  const uint8_t *frame;
  size_t frameCount;
  bool frameHasAlpha;

  // The region being decoded.
  FCWebPRegion region;
  FCWebPPlan plan;
  uint8_t *rows;
  size_t stride;
  WebPDecoderConfig config;
  WebPIDecoder *incremental;
  uint8_t *copy;
  size_t copyStride;
  size_t given, step;
  /// Rows of the region that are in `rows`.
  uint32_t rowsReady;
  /// Libwebp has written some row.
  bool hasRows;
  bool isRunning;
};

/// Decides on a region inside the picture.
FCWebPPlan fcwebp_plan(const FCWebPDecoder *decoder, FCWebPRegion region);

/// Whether the region is inside the picture and not enlarged.
bool fcwebp_is_inside(const FCWebPDecoder *decoder, FCWebPRegion region);

/// Row `row` of a region by averaging areas of the copy.
void fcwebp_average_row(const FCWebPDecoder *decoder, uint32_t row, uint8_t *out);

#endif
