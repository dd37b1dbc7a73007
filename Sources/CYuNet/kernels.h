/// The rows of which the network is made, once for each instruction set (`kernels.inc`): the same numbers from all of them.
///
/// A row is 16-bit integers, channels last; what one of them stands for is its channel's, and in the weights. Where a number does
/// not fit, it is the nearest that does. A row that a depthwise convolution reads has a pixel of zeros on either side.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// A 1×1 convolution and the depthwise 3×3 convolution behind it.
typedef struct FCPair {
  uint32_t inputs, outputs;
  /// `inputs` / 2 × `outputs` × 2: of each two inputs the weights of every output, side by side. Those of an output whose sign is
  /// the same add up to less than 2¹⁶, so that no sum over inputs of no less than 0 leaves 32 bits.
  const int16_t *pointwise;
  /// For each output, with the half that rounds.
  const int32_t *pointwiseBias;
  /// Bits that the sums have below the outputs' last one.
  int32_t shift;
  /// 9 × `outputs`, row by row of the kernel, in 2⁻¹⁶, each more than -2¹⁵, and the magnitudes of a row's three together less than
  /// 2¹⁶ - 8, so that what they add up to stays in 16 bits; then a bias for each output.
  const int16_t *depthwise;
} FCPair;

/// The first layer's convolution, as a pair's first one.
typedef struct FCStem {
  /// 3 × 5 × 16 × 2: the 9 samples of a row of the kernel, and a tenth that does not count, two by two.
  const int16_t *weights;
  const int32_t *bias;
  int32_t shift;
} FCStem;

typedef struct FCKernels {
  /// Its instruction set's.
  const char *name;

  /// The first layer: 3×3, stride 2, 3 to 16 channels, no less than 0.
  ///
  /// - rows: three rows of 2 · `width` pixels of 0…255, with one of zeros before them and another sample behind them.
  void (*stem)(const FCStem *stem, const int16_t *const rows[3], size_t width, int16_t *out);

  /// A pair's 1×1 convolution of a row of `width` pixels, which are no less than 0.
  void (*pointwise)(const FCPair *pair, const int16_t *row, size_t width, int16_t *out);

  /// A pair's 3×3 convolution; `rows` begin with their pixel of zeros. Each product is rounded down. A row of the kernel
  /// after the other is added to the bias, where the sum stays in 16 bits each time. `isRectified`: no less than 0.
  void (*depthwise)(const FCPair *pair, const int16_t *const rows[3], size_t width, _Bool isRectified, int16_t *out);

  /// The largest of each 2×2 pixels of two rows of 2 · `width` pixels.
  void (*pool)(const int16_t *const rows[2], size_t width, size_t channels, int16_t *out);

  /// A row of `width` pixels and one of half as many, each of which counts twice, added; of 64 channels.
  void (*add_doubled)(const int16_t *row, const int16_t *half, size_t width, int16_t *out);
} FCKernels;

#if defined(__x86_64__)
extern const FCKernels fc_kernels_sse2, fc_kernels_avx2, fc_kernels_avx512, fc_kernels_avx512vnni;
#else
extern const FCKernels fc_kernels_neon;
#endif
