/// Alpha matting: from a coarse mask of a person to the opacity and the color of every pixel.
///
/// 1. A guided filter (K. He, J. Sun, X. Tang, "Guided Image Filtering", IEEE TPAMI 35, 2013) fits the mask to the
///    image's edges: around each pixel, opacity is a linear function of the color. As in the fast guided filter (K. He,
///    J. Sun, 2015), the coefficients are found in a small image, and applied in the large one.
/// 2. Near the mask's edge, the local colors of person and background are known from both sides. A pixel's position
///    between them, by the compositing equation, is a second estimate of its opacity (A. Smith, J. Blinn, "Blue Screen
///    Matting", 1996; Y.-Y. Chuang and others, "A Bayesian Approach to Digital Matting", 2001). Both estimates count by
///    their precision. Each is linear in the color, and so is their mean, which therefore costs four coefficients.
/// 3. The color of the person in pixels that mix person and background comes from blurred colors of both (M. Forte,
///    "Approximate Fast Foreground Colour Estimation", 2021).
///
/// All steps take time linear in the pixels, whatever the radii are.
#pragma once

#include <CBasics.h>

FC_BEGIN

/// Upper bound of the pixels of a small image, and of its sides.
#define FCMATTING_MOST_PIXELS 65536
#define FCMATTING_LONGEST_SIDE 4096

/// The coefficients for one image. Several threads may read it at once.
typedef struct FCMatting FCMatting;

/// Finds the coefficients. Returns NULL if memory runs out, or the size is out of range.
///
/// - pixels: the small image, 8-bit R, G, B, row by row without gaps.
/// - mask: the probability that each pixel of it belongs to the person, 0…255.
FCMatting *_Nullable fcmatting_create(const uint8_t *pixels, const uint8_t *mask, uint32_t width, uint32_t height);
void fcmatting_destroy(FCMatting *matting);

/// Writes opacity and colors of some rows of the large image.
///
/// - pixels: these rows, 8-bit R, G, B, without gaps.
/// - width, height: the size of the large image.
/// - first, count: the rows.
/// - cut: R, G, B of the person, not premultiplied, and the opacity, 0…255. Transparent pixels are 0.
void fcmatting_rows(const FCMatting *matting, const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t first,
  uint32_t count, uint8_t *cut);

/// Composites `count` pixels of R, G, B, A over as many of R, G, B, and writes R, G, B. `backdrop` may be `output`.
void fcmatting_composite(const uint8_t *cut, const uint8_t *backdrop, uint8_t *output, size_t count);

/// Blurs an image without the people in it, by three box filters instead of a Gaussian (W. Wells, "Efficient Synthesis
/// of Gaussian Filters by Cascaded Uniform Filters", IEEE TPAMI 8, 1986). Returns false if memory runs out, or the size
/// is out of range.
///
/// - pixels: the small image, R, G, B.
/// - cut: its pixels of `fcmatting_rows`.
/// - strength: the standard deviation, in fractions of the longer side.
/// - blurred: R, G, B.
bool fcmatting_blur(
    const uint8_t *pixels, const uint8_t *cut, uint32_t width, uint32_t height, float strength, uint8_t *blurred);

FC_END
