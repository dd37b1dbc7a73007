/// The rows that networks are made of, once for each instruction set (`kernels.inc`): the same numbers from all of them.
///
/// A row holds 16-bit integers, channels last. Each channel has its own unit, which is part of the weights. A result that does not fit
/// into 16 bits is the nearest that does. Channels are multiples of 16.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// A 1×1 convolution, or the first layer's 3×3.
typedef struct FCConvolution {
  uint32_t inputs, outputs;
  /// `inputs` / 2 × `outputs` × 2: for each two inputs the weights of every output, side by side. No sum over inputs leaves 32 bits.
  const int16_t *weights;
  /// For each output, with the half that rounds.
  const int32_t *bias;
  /// Bits of the sums below the outputs' last one.
  int32_t shift;
  /// Whether results are at least 0.
  int32_t isRectified;
} FCConvolution;

/// A depthwise convolution of 3×3 or 5×5.
typedef struct FCDepthwise {
  uint32_t channels, kernel, stride;
  /// `kernel`² × `channels`, row by row of the kernel, in 2⁻¹⁶, each more than -2¹⁵, and the magnitudes of a row together less than
  /// 2¹⁶ - 8, so that their sum stays in 16 bits; then a bias for each channel; then, if the input's middle is added, its factors in
  /// 2⁻¹⁶.
  const int16_t *weights;
  /// Whether results are at least 0, and whether the input's middle, times its factors, is added to these.
  int32_t isRectified, addsInput;
} FCDepthwise;

/// x · clamp(x + 3, 0, 6) / 6 (A. Howard and others, "Searching for MobileNetV3", ICCV 2019). The result's units are twice the input's.
typedef struct FCHardSwish {
  /// For each channel: 1/6 in its units, in 2^`bits` · 2¹⁶.
  const int16_t *slopes;
  /// Of the fraction that an input is multiplied by, 1…15.
  int32_t bits;
} FCHardSwish;

typedef struct FCKernels {
  /// Its instruction set's.
  const char *name;

  /// The first layer: 3×3, stride 2, 3 to 16 channels.
  ///
  /// - rows: three rows of 2 · `width` pixels of 0…255, with one more pixel and another sample behind them.
  void (*stem)(const FCConvolution *of, const int16_t *const rows[3], size_t width, int16_t *out);

  /// A 1×1 convolution of a row of `width` pixels.
  void (*pointwise)(const FCConvolution *of, const int16_t *row, size_t width, int16_t *out);

  /// A depthwise convolution; `rows` begin at the first pixel that the result's first one needs. Each product is rounded down. A row of
  /// the kernel after the other is added to the bias, where the sum is saturated each time.
  void (*depthwise)(const FCDepthwise *of, const int16_t *const rows[5], size_t width, int16_t *out);

  /// Applies the function to a row in place.
  void (*hard_swish)(const FCHardSwish *of, size_t width, size_t channels, int16_t *row);

  /// The largest of each 2×2 pixels of two rows of 2 · `width` pixels.
  void (*pool)(const int16_t *const rows[2], size_t width, size_t channels, int16_t *out);

  /// The sum of two rows. `isHalf`: `other` has half as many pixels, each of which counts twice.
  void (*add)(const int16_t *row, const int16_t *other, size_t width, size_t channels, int32_t isHalf, int16_t *out);

  /// A row with each channel multiplied by its factor in 2⁻¹⁶, and `other` added to it unless that is NULL.
  void (*gate)(const int16_t *row, const int16_t *factors, const int16_t *other, size_t width, size_t channels, int16_t *out);

  /// A row of 2 · `width` pixels, bilinearly between two rows of numbers of at least 0: three quarters of `near`, a quarter of `far`.
  ///
  /// - between: room for a row of `width` pixels.
  void (*enlarge)(const int16_t *near, const int16_t *far, size_t width, size_t channels, int16_t *between, int16_t *out);

  /// Adds a row's pixels to each channel's sum.
  void (*sum)(const int16_t *row, size_t width, size_t channels, int32_t *sums);
} FCKernels;

#if defined(__x86_64__)
extern const FCKernels fc_kernels_sse2, fc_kernels_avx2, fc_kernels_avx512, fc_kernels_avx512vnni;
#else
extern const FCKernels fc_kernels_neon;
#endif
