/// Converts luma and chroma to 8-bit R, G and B, and deep gray to 8 bits.
#ifndef FCHEIF_COLORS_H
#define FCHEIF_COLORS_H

#include "CHEIFShim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct FCHEIFPlane {
  const uint8_t *rows;
  size_t stride;
  uint32_t width, height;
} FCHEIFPlane;

/// Weights, with 16 bits behind the point.
typedef struct FCHEIFColors {
  /// The samples are G, B and R themselves (matrix 0), or luma, green and orange (matrix 8).
  bool isIdentity, isYCgCo;
  int32_t black, middle;
  int32_t luma;
  int32_t redFromCr, greenFromCr, greenFromCb, blueFromCb;
} FCHEIFColors;

typedef struct FCHEIFSamples {
  /// Luma, and two of chroma where it is not gray; samples above 8 bits take two bytes.
  FCHEIFPlane planes[3];
  uint32_t depth;
  bool isGray;
  /// 1 where chroma has half the samples.
  uint32_t shiftX, shiftY;
  FCHEIFColors colors;
} FCHEIFSamples;

/// - Parameter matrix: of ITU-T H.273, table 4; BT.601's for one that is not known.
FCHEIFColors fcheif_colors(int matrix, bool isFullRange, uint32_t depth);

/// Converts row `y`. Chroma is not interpolated between its samples.
///
/// - Parameters:
///   - out: has room for a row of R, G and B, or of gray.
void fcheif_convert_row(const FCHEIFSamples *samples, uint32_t y, uint8_t *out);

#ifdef __cplusplus
}
#endif

#endif
