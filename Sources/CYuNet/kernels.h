/// The rows of which the network is made, once for each instruction set (`kernels.inc`).
///
/// A row is floats, channels last. A row that a depthwise convolution reads has a pixel of zeros on either side.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// A 1×1 convolution and the depthwise 3×3 convolution behind it.
typedef struct FCPair {
  uint32_t inputs, outputs;
  /// `inputs` × `outputs`, then a bias for each output.
  const float *pointwise;
  /// 9 × `outputs`, row by row of the kernel, then a bias for each output.
  const float *depthwise;
} FCPair;

typedef struct FCKernels {
  /// Its instruction set's.
  const char *name;

  /// The first layer: 3×3, stride 2, 3 to 16 channels, no less than 0.
  ///
  /// - rows: three rows of 2 · `width` pixels with one of zeros before them.
  /// - weights: 27 × 16, then 16 biases.
  void (*stem)(const float *const rows[3], size_t width, const float *weights, float *out);

  /// A pair's 1×1 convolution of a row of `width` pixels.
  void (*pointwise)(const FCPair *pair, const float *row, size_t width, float *out);

  /// A pair's 3×3 convolution; `rows` begin with their pixel of zeros. `isRectified`: no less than 0.
  void (*depthwise)(const FCPair *pair, const float *const rows[3], size_t width, _Bool isRectified, float *out);

  /// The largest of each 2×2 pixels of two rows of 2 · `width` pixels.
  void (*pool)(const float *const rows[2], size_t width, size_t channels, float *out);

  /// A row of `width` pixels and one of half as many, each of which counts twice, added.
  void (*add_doubled)(const float *row, const float *half, size_t width, size_t channels, float *out);
} FCKernels;

#if defined(__x86_64__)
extern const FCKernels fc_kernels_sse2, fc_kernels_avx2, fc_kernels_avx512;
#else
extern const FCKernels fc_kernels_neon;
#endif
