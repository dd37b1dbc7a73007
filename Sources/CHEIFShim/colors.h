/// Converts luma and chroma to 8-bit R, G and B, and deep gray to 8 bits.
#pragma once

#include "CHEIFShim.h"

FC_BEGIN

typedef struct FCHEIFPlane {
  const uint8_t *rows;
  size_t stride;
  uint32_t width, height;
} FCHEIFPlane;

/// Weights in fixed point with 16 fractional bits.
typedef struct FCHEIFColors {
  /// The samples are G, B and R (matrix 0), or YCgCo (matrix 8).
  bool isIdentity, isYCgCo;
  int32_t black, middle;
  int32_t luma;
  int32_t redFromCr, greenFromCr, greenFromCb, blueFromCb;
} FCHEIFColors;

typedef struct FCHEIFSamples {
  /// Luma, then two planes of chroma unless the image is gray. Samples above 8 bits take two bytes.
  FCHEIFPlane planes[3];
  uint32_t depth;
  bool isGray;
  /// 1 if chroma has half the samples.
  uint32_t shiftX, shiftY;
  FCHEIFColors colors;
} FCHEIFSamples;

/// Computes the weights of `matrix` (ITU-T H.273, table 4); an unknown one counts as BT.601.
FCHEIFColors fcheif_colors(int matrix, bool isFullRange, uint32_t depth);

/// Converts row `y` to R, G and B, or to gray, without interpolating chroma.
void fcheif_convert_row(const FCHEIFSamples *samples, uint32_t y, uint8_t *out);

FC_END
