#include "colors.h"

#include <math.h>
#include <string.h>

static int32_t fixed(double value) { return (int32_t)lrint(value * 65536); }

/// Looks up the weights of red and blue in luma.
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

static inline int32_t sample(const FCHEIFPlane *plane, uint32_t depth, uint32_t x, uint32_t y) {
  const uint8_t *row = plane->rows + y * plane->stride;
  // Samples that were not decoded may have bits above the depth; their damage is found later.
  return depth > 8 ? ((const uint16_t *)(const void *)row)[x] & ((1 << depth) - 1) : row[x];
}

static inline uint8_t clamped(int32_t value) {
  const int32_t rounded = (value + (1 << 15)) >> 16, positive = rounded < 0 ? 0 : rounded;
  return (uint8_t)(positive > 255 ? 255 : positive);
}

static void convert_gray(const FCHEIFSamples *samples, uint32_t y, uint8_t *out) {
  const FCHEIFPlane *plane = &samples->planes[0];
  const int32_t top = (1 << samples->depth) - 1;
  const FCHEIFColors *colors = &samples->colors;
  if (colors->black != 0) {
    for (uint32_t x = 0; x < plane->width; x++) {
      out[x] = clamped((sample(plane, samples->depth, x, y) - colors->black) * colors->luma);
    }
    return;
  }
  if (samples->depth == 8) {
    memcpy(out, plane->rows + y * plane->stride, plane->width);
    return;
  }
  for (uint32_t x = 0; x < plane->width; x++) {
    out[x] = (uint8_t)((sample(plane, samples->depth, x, y) * 255 + top / 2) / top);
  }
}

/// Converts one row of luma and chroma. The compiler makes a loop for each common kind of samples.
static inline __attribute__((always_inline)) void convert_colors(
  const FCHEIFSamples *samples, uint32_t y, uint8_t *out, uint32_t depth, uint32_t shiftX) {
  const FCHEIFColors colors = samples->colors;
  const uint32_t row = y >> samples->shiftY, width = samples->planes[0].width;
  for (uint32_t x = 0; x < width; x++, out += 3) {
    const int32_t luma = (sample(&samples->planes[0], depth, x, y) - colors.black) * colors.luma;
    // The chroma samples that cover the pixel.
    const int32_t cb = sample(&samples->planes[1], depth, x >> shiftX, row) - colors.middle;
    const int32_t cr = sample(&samples->planes[2], depth, x >> shiftX, row) - colors.middle;
    out[0] = clamped(luma + cr * colors.redFromCr);
    out[1] = clamped(luma - cb * colors.greenFromCb - cr * colors.greenFromCr);
    out[2] = clamped(luma + cb * colors.blueFromCb);
  }
}

/// Converts one row of G, B and R samples, or of YCgCo.
static void convert_others(const FCHEIFSamples *samples, uint32_t y, uint8_t *out) {
  const FCHEIFColors *colors = &samples->colors;
  const uint32_t depth = samples->depth, row = y >> samples->shiftY;
  for (uint32_t x = 0; x < samples->planes[0].width; x++, out += 3) {
    const int32_t luma = (sample(&samples->planes[0], depth, x, y) - colors->black) * colors->luma;
    const int32_t blue = sample(&samples->planes[1], depth, x >> samples->shiftX, row);
    const int32_t red = sample(&samples->planes[2], depth, x >> samples->shiftX, row);
    const int32_t cb = blue - colors->middle, cr = red - colors->middle;
    if (colors->isIdentity) {
      out[0] = clamped((red - colors->black) * colors->luma);
      out[1] = clamped(luma);
      out[2] = clamped((blue - colors->black) * colors->luma);
    } else {
      out[0] = clamped(luma + (cr - cb) * colors->redFromCr);
      out[1] = clamped(luma + cb * colors->redFromCr);
      out[2] = clamped(luma - (cr + cb) * colors->redFromCr);
    }
  }
}

void fcheif_convert_row(const FCHEIFSamples *samples, uint32_t y, uint8_t *out) {
  if (samples->isGray) {
    convert_gray(samples, y, out);
  } else if (samples->colors.isIdentity || samples->colors.isYCgCo) {
    convert_others(samples, y, out);
  } else if (samples->depth == 8 && samples->shiftX == 1) {
    convert_colors(samples, y, out, 8, 1);
  } else {
    convert_colors(samples, y, out, samples->depth, samples->shiftX);
  }
}
