/// The decoder's state, shared by its files.
#pragma once

#include "CWebPShim.h"

#include <webp/decode.h>
#include <webp/demux.h>

typedef struct FCWebPRect {
  uint32_t x, y, width, height;
} FCWebPRect;

/// The plan to decode a region; see `plan.c`.
typedef struct FCWebPPlan {
  /// The part of the region that the frame covers, relative to the region.
  FCWebPRect covered;
  /// The rectangle of the frame that libwebp decodes, and the size it scales it to.
  FCWebPRect decoded;
  bool isScaled;
  uint32_t scaledWidth, scaledHeight;
  /// Whether libwebp decodes into our own memory. If so, `covered` begins there at (`copyX`, `copyY`).
  bool usesCopy;
  uint32_t copyX, copyY;
  uint64_t copyBytes;
} FCWebPPlan;

struct FCWebPDecoder {
  FCWebPSource source;
  FCMessage message;
  FCDamage damage;

  bool hasHeader;
  FCWebPHeader header;
  /// The list of frames, made when one is selected.
  WebPDemuxer *frames;
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
  /// Whether libwebp has written any row.
  bool hasRows;
  bool isRunning;
};

/// Plans the decoding of a region inside the image.
FCWebPPlan fcwebp_plan(const FCWebPDecoder *decoder, FCWebPRegion region);

/// Returns whether the region is inside the image and not enlarged.
bool fcwebp_is_inside(const FCWebPDecoder *decoder, FCWebPRegion region);

/// Makes row `row` of a region by averaging areas of the copy.
void fcwebp_average_row(const FCWebPDecoder *decoder, uint32_t row, uint8_t *out);
