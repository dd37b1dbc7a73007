/// Kernels for the rows of networks, once for each instruction set (`kernels.inc`), with identical results.
///
/// A row holds 16-bit integers, channels last; their number is a multiple of 16. Each channel has its own unit, which
/// is part of the weights. Results saturate to 16 bits.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// A 1×1 convolution, or the 3×3 convolution of the first layer.
typedef struct FCConvolution {
  uint32_t inputs, outputs;
  /// `inputs` / 2 × `outputs` × 2: the weights of every output for each two inputs. No sum over inputs exceeds 32 bits.
  const int16_t *weights;
  /// One for each output, including the half for rounding.
  const int32_t *bias;
  /// Fractional bits of the sums that are dropped.
  int32_t shift;
  /// Whether results are at least 0.
  int32_t isRectified;
} FCConvolution;

/// A depthwise convolution of 3×3 or 5×5.
typedef struct FCDepthwise {
  uint32_t channels, kernel, stride;
  /// `kernel`² × `channels` factors in 2⁻¹⁶, row by row of the kernel. Each is above -2¹⁵, and the magnitudes of a row
  /// sum to less than 2¹⁶ - 8, so that sums fit into 16 bits. Then come a bias for each channel and, if the input is
  /// added, its factors in 2⁻¹⁶.
  const int16_t *weights;
  /// Whether results are at least 0, and whether the input's middle, times its factors, is added afterwards.
  int32_t isRectified, addsInput;
} FCDepthwise;

/// x · clamp(x + 3, 0, 6) / 6 (A. Howard and others, "Searching for MobileNetV3", 2019). Doubles the input's units.
typedef struct FCHardSwish {
  /// For each channel, 1/6 in its units, in 2^`bits` · 2¹⁶.
  const int16_t *slopes;
  /// Bits of the fraction that multiplies an input, 1…15.
  int32_t bits;
} FCHardSwish;

/// The slopes of a parametric rectifier, by which values below 0 are multiplied (K. He and others, "Delving Deep into
/// Rectifiers", 2015).
typedef struct FCSlopes {
  /// For each channel, the slope to the nearest of -1, 0 and 1, then half of the rest in 2⁻¹⁶.
  const int16_t *whole, *halves;
} FCSlopes;

typedef struct FCKernels {
  /// The name of the instruction set.
  const char *name;

  /// Computes the first layer: 3×3, stride 2, 3 to 16 channels.
  ///
  /// - rows: three rows of 2 · `width` pixels of 0…255, followed by one more pixel and one more sample.
  void (*stem)(const FCConvolution *of, const int16_t *const rows[3], size_t width, int16_t *out);

  /// Computes a 1×1 convolution of a row of `width` pixels.
  void (*pointwise)(const FCConvolution *of, const int16_t *row, size_t width, int16_t *out);

  /// Computes a depthwise convolution; `rows` begin at the first pixel that the first result needs. Each product is
  /// rounded down. The rows of the kernel are added to the bias one after the other, and the sum saturates each time.
  void (*depthwise)(const FCDepthwise *of, const int16_t *const rows[5], size_t width, int16_t *out);

  /// Applies the function to a row in place.
  void (*hard_swish)(const FCHardSwish *of, size_t width, size_t channels, int16_t *row);

  /// Applies the rectifier to a row in place.
  void (*parametric)(const FCSlopes *of, size_t width, size_t channels, int16_t *row);

  /// Computes the maximum of each 2×2 pixels of two rows of 2 · `width` pixels.
  void (*pool)(const int16_t *const rows[2], size_t width, size_t channels, int16_t *out);

  /// Adds two rows. If `isHalf`, `other` has half as many pixels, and each counts twice.
  void (*add)(const int16_t *row, const int16_t *other, size_t width, size_t channels, int32_t isHalf, int16_t *out);

  /// Multiplies each channel of a row by its factor in 2⁻¹⁶, and adds `other` unless it is NULL.
  void (*gate)(
    const int16_t *row, const int16_t *factors, const int16_t *other, size_t width, size_t channels, int16_t *out);

  /// Computes a row of 2 · `width` pixels, bilinearly between two rows of at least 0: 3/4 of `near`, 1/4 of `far`.
  ///
  /// - between: room for a row of `width` pixels.
  void (*enlarge)(
    const int16_t *near, const int16_t *far, size_t width, size_t channels, int16_t *between, int16_t *out);

  /// Adds a row's pixels to the sum of each channel.
  void (*sum)(const int16_t *row, size_t width, size_t channels, int32_t *sums);
} FCKernels;

#if defined(__x86_64__)
extern const FCKernels fc_kernels_sse2, fc_kernels_avx2, fc_kernels_avx512, fc_kernels_avx512vnni;
#else
extern const FCKernels fc_kernels_neon;
#endif
