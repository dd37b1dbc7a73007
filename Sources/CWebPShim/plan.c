/// Plans how to get exactly the requested region from libwebp.
///
/// libwebp moves the left and upper edge of a lossy crop to even offsets, and upsamples the chroma at all edges without
/// its neighbors. A region that is not scaled is therefore decoded into a copy with a margin. A region that is scaled
/// from odd offsets, or from a canvas that the frame does not cover, is averaged here from such a copy.
#include "decoder.h"

/// Pixels around the region: an even number that covers one chroma sample.
static const uint32_t margin = 2;

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

bool fcwebp_is_inside(const FCWebPDecoder *decoder, FCWebPRegion region) {
  return region.outWidth > 0 && region.outHeight > 0 && region.outWidth <= region.width &&
         region.outHeight <= region.height && (uint64_t)region.x + region.width <= decoder->header.width &&
         (uint64_t)region.y + region.height <= decoder->header.height;
}

static FCWebPRect with_margin(FCWebPRect rect, uint32_t width, uint32_t height) {
  const uint32_t left = rect.x > margin ? (rect.x - margin) & ~1u : 0;
  const uint32_t top = rect.y > margin ? (rect.y - margin) & ~1u : 0;
  return (FCWebPRect){left, top, smaller(rect.x + rect.width + margin, width) - left,
                      smaller(rect.y + rect.height + margin, height) - top};
}

FCWebPPlan fcwebp_plan(const FCWebPDecoder *decoder, FCWebPRegion region) {
  const FCWebPHeader *header = &decoder->header;
  FCWebPPlan plan = {0};
  const uint32_t left = larger(region.x, header->frameX), top = larger(region.y, header->frameY);
  const uint32_t right = smaller(region.x + region.width, header->frameX + header->frameWidth);
  const uint32_t bottom = smaller(region.y + region.height, header->frameY + header->frameHeight);
  if (left >= right || top >= bottom) return plan;

  plan.covered = (FCWebPRect){left - region.x, top - region.y, right - left, bottom - top};
  const FCWebPRect wanted = {left - header->frameX, top - header->frameY, right - left, bottom - top};
  const bool isLossy = header->compression == FCWebPCompressionLossy;
  const bool isWhole = wanted.width == header->frameWidth && wanted.height == header->frameHeight;
  plan.decoded = wanted;
  if (region.outWidth == region.width && region.outHeight == region.height) {
    plan.usesCopy = isLossy && !isWhole;
  } else {
    const bool isCovered = wanted.width == region.width && wanted.height == region.height;
    // libwebp 1.2.4 scales a single column of chroma to zero if its rows are enlarged.
    const bool isRight = wanted.x % 2 == 0 && wanted.y % 2 == 0 && wanted.width > 2;
    plan.usesCopy = !isCovered || (isLossy && !isRight);
    plan.isScaled = !plan.usesCopy;
    plan.scaledWidth = region.outWidth;
    plan.scaledHeight = region.outHeight;
  }
  if (plan.usesCopy) {
    if (isLossy) plan.decoded = with_margin(wanted, header->frameWidth, header->frameHeight);
    plan.copyX = wanted.x - plan.decoded.x;
    plan.copyY = wanted.y - plan.decoded.y;
    plan.copyBytes = (uint64_t)plan.decoded.width * plan.decoded.height * fc_channels(region.color);
  }
  return plan;
}

uint64_t fcwebp_decoder_memory(const FCWebPDecoder *decoder, FCWebPRegion region) {
  const FCWebPHeader *header = &decoder->header;
  if (!decoder->hasHeader || !fcwebp_is_inside(decoder, region)) return 0;
  const uint64_t pixels = (uint64_t)header->frameWidth * header->frameHeight;
  const uint64_t tables = 1 << 20;
  uint64_t bytes = tables + fcwebp_plan(decoder, region).copyBytes;
  if (header->compression == FCWebPCompressionLossless) bytes += 4 * pixels + 96 * (uint64_t)header->frameWidth;
  else bytes += (decoder->frameHasAlpha ? 5 * pixels : 0) + 96 * (uint64_t)header->frameWidth;
  return bytes;
}

void fcwebp_average_row(const FCWebPDecoder *decoder, uint32_t row, uint8_t *out) {
  const FCWebPRegion *region = &decoder->region;
  const FCWebPPlan *plan = &decoder->plan;
  const FCWebPRect covered = plan->covered;
  const uint32_t channels = fc_channels(region->color);
  // In units of 1/outWidth and 1/outHeight of a pixel, an output pixel is region->width by region->height.
  const uint64_t unitX = region->outWidth, unitY = region->outHeight;
  const uint64_t area = (uint64_t)region->width * region->height;
  const uint64_t top = (uint64_t)row * region->height, bottom = top + region->height;
  for (uint32_t column = 0; column < region->outWidth; column++, out += channels) {
    const uint64_t left = (uint64_t)column * region->width, right = left + region->width;
    uint64_t sums[3] = {0}, alpha = 0;
    for (uint64_t y = top / unitY; y * unitY < bottom; y++) {
      if (y < covered.y || y >= (uint64_t)covered.y + covered.height) continue;
      const uint64_t yFrom = y * unitY > top ? y * unitY : top;
      const uint64_t yTo = (y + 1) * unitY < bottom ? (y + 1) * unitY : bottom;
      const uint8_t *line = decoder->copy + (size_t)(y - covered.y + plan->copyY) * decoder->copyStride;
      for (uint64_t x = left / unitX; x * unitX < right; x++) {
        if (x < covered.x || x >= (uint64_t)covered.x + covered.width) continue;
        const uint64_t xFrom = x * unitX > left ? x * unitX : left;
        const uint64_t xTo = (x + 1) * unitX < right ? (x + 1) * unitX : right;
        const uint8_t *pixel = line + (size_t)(x - covered.x + plan->copyX) * channels;
        // At most 2^28 · 255 in total, since sides are below 2^14.
        const uint64_t weight = (xTo - xFrom) * (yTo - yFrom) * (channels == 4 ? pixel[3] : 1);
        for (int c = 0; c < 3; c++) sums[c] += weight * pixel[c];
        alpha += weight;
      }
    }
    // Transparent pixels do not count in the color.
    const uint64_t whole = channels == 4 ? alpha : area;
    for (int c = 0; c < 3; c++) out[c] = whole == 0 ? 0 : (uint8_t)((sums[c] + whole / 2) / whole);
    if (channels == 4) out[3] = (uint8_t)((alpha + area / 2) / area);
  }
}
