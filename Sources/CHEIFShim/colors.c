#include "colors.h"

#include <math.h>

static int32_t fixed(double value) { return (int32_t)lrint(value * 65536); }

/// Luma's weights of red and blue.
static void weights(int matrix, double *red, double *blue) {
  switch (matrix) {
    case 1: *red = 0.2126, *blue = 0.0722; break;
    case 4: *red = 0.30, *blue = 0.11; break;
    case 7: *red = 0.212, *blue = 0.087; break;
    case 9:
    case 10: *red = 0.2627, *blue = 0.0593; break;
    default: *red = 0.299, *blue = 0.114;
  }
}

FCHEIFColors fcheif_colors(int matrix, bool isFullRange, uint32_t depth) {
  const double top = (1 << depth) - 1, bit = 1 << (depth - 8);
  FCHEIFColors colors = {.isIdentity = matrix == 0, .isYCgCo = matrix == 8};
  colors.black = isFullRange ? 0 : (int32_t)(16 * bit);
  colors.middle = 1 << (depth - 1);
  colors.luma = fixed(255 / (isFullRange ? top : 219 * bit));
  const double chroma = 255 / (isFullRange ? top : 224 * bit);
  double red, blue;
  weights(matrix, &red, &blue);
  const double green = 1 - red - blue;
  colors.redFromCr = fixed(chroma * (colors.isYCgCo ? 1 : 2 * (1 - red)));
  colors.blueFromCb = fixed(chroma * 2 * (1 - blue));
  colors.greenFromCr = fixed(chroma * 2 * red * (1 - red) / green);
  colors.greenFromCb = fixed(chroma * 2 * blue * (1 - blue) / green);
  return colors;
}

static int32_t sample(const FCHEIFPlane *plane, uint32_t depth, uint32_t x, uint32_t y) {
  const uint8_t *row = plane->rows + y * plane->stride;
  return depth > 8 ? ((const uint16_t *)(const void *)row)[x] : row[x];
}

static uint8_t clamped(int32_t value) {
  const int32_t rounded = (value + (1 << 15)) >> 16;
  return rounded < 0 ? 0 : rounded > 255 ? 255 : (uint8_t)rounded;
}

/// Chroma of one pixel: the sample that covers it.
static int32_t chroma(const FCHEIFSamples *samples, const FCHEIFPlane *plane, uint32_t x, uint32_t y) {
  return sample(plane, samples->depth, x >> samples->shiftX, y >> samples->shiftY);
}

void fcheif_convert_row(const FCHEIFSamples *samples, uint32_t y, uint8_t *const out[3]) {
  const FCHEIFColors *colors = &samples->colors;
  for (uint32_t x = 0; x < samples->planes[0].width; x++) {
    const int32_t luma = (sample(&samples->planes[0], samples->depth, x, y) - colors->black) * colors->luma;
    const int32_t blue = chroma(samples, &samples->planes[1], x, y);
    const int32_t red = chroma(samples, &samples->planes[2], x, y);
    const int32_t cb = blue - colors->middle, cr = red - colors->middle;
    if (colors->isIdentity) {
      out[0][x] = clamped((red - colors->black) * colors->luma);
      out[1][x] = clamped(luma);
      out[2][x] = clamped((blue - colors->black) * colors->luma);
    } else if (colors->isYCgCo) {
      out[0][x] = clamped(luma + (cr - cb) * colors->redFromCr);
      out[1][x] = clamped(luma + cb * colors->redFromCr);
      out[2][x] = clamped(luma - (cr + cb) * colors->redFromCr);
    } else {
      out[0][x] = clamped(luma + cr * colors->redFromCr);
      out[1][x] = clamped(luma - cb * colors->greenFromCb - cr * colors->greenFromCr);
      out[2][x] = clamped(luma + cb * colors->blueFromCb);
    }
  }
}
