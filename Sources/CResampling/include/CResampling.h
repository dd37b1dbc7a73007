/// The inner loops of resampling, for several instruction sets: they blend rows of bytes, then combine pixels.
///
/// Lengths are in samples. A pixel has `channels` samples: 1, 3 or 4, with alpha as the last of 4.
#pragma once

#include <CBasics.h>

FC_BEGIN

/// Samples that `combine` reads at a time.
#define FCRESAMPLING_LANES 8

/// The number of lines that `combine` processes fastest.
#define FCRESAMPLING_ROWS 4

/// The loops for one instruction set.
typedef struct FCResamplingLoops {
  const char *name;

  /// Adds up `count` rows, each multiplied by its weight. With 4 channels, colors are weighted by their alpha.
  ///
  /// - samples: the length of a row.
  /// - isSum: whether `sum` already holds rows, to which these are added.
  void (*blend)(const uint8_t *_Nonnull const *_Nonnull rows, const float *weights, size_t count, size_t samples,
                size_t channels, bool isSum, float *sum);

  /// Makes `places` pixels of 1 to `FCRESAMPLING_ROWS` lines, `stride` floats apart, each from `vectors` stretches of
  /// 8.
  ///
  /// - starts: the sample at which the first stretch of each pixel begins. A stretch has 8, 2 or 2 pixels for 1, 3 or 4
  ///   channels; the next stretch follows these pixels.
  /// - weights: 8 for each stretch: the weight of each of its pixels, repeated for each channel, then zeros.
  /// - out: the output lines, `outStride` floats apart, each with room for 3 more samples than it gets.
  void (*combine)(size_t rows, const float *lines, size_t stride, const uint32_t *starts, const float *weights,
                  size_t vectors, size_t places, size_t channels, float *out, size_t outStride);

  /// Rounds to the nearest whole numbers in 0…255; halves round up.
  void (*round)(const float *samples, size_t count, uint8_t *out);

  /// Averages squares of `factor` × `factor` pixels, rounded to the nearest whole number.
  ///
  /// - rows: `factor` rows, 2 to 4.
  /// - pixels: the length of a row, at least 1. A square that reaches past the last pixel counts that pixel again.
  /// - channels: 1 or 3.
  /// - sums: room for `pixels` + 4 pixels of 4 samples.
  /// - out: gets one pixel for each square that begins in the rows.
  void (*mean)(const uint8_t *_Nonnull const *_Nonnull rows, size_t factor, size_t pixels, size_t channels,
               uint16_t *sums, uint8_t *out);

  /// Interpolates between adjacent pixels of a row, for enlargements.
  ///
  /// - row: samples of a row, with `FCRESAMPLING_LANES` more that are read but do not count.
  /// - starts: the first sample of each column's first pixel.
  /// - weights: two for each column, for this pixel and the next, with the sum 2048.
  /// - channels: 1 or 3.
  /// - out: gets the columns' samples times 128, with room for 1 more sample.
  void (*interpolate)(const uint8_t *row, const uint32_t *starts, const int32_t *weights, size_t columns,
                      size_t channels, int16_t *out);

  /// Interpolates between two rows of `interpolate`. The weights have the sum 2048.
  void (*between)(const int16_t *upper, const int16_t *lower, int16_t first, int16_t second, size_t count,
                  uint8_t *out);
} FCResamplingLoops;

/// Returns the loops that this processor supports, fastest first, or NULL past the last.
const FCResamplingLoops *_Nullable fcresampling_loops(size_t index);
const FCResamplingLoops *fcresampling_fastest(void);

FC_END
