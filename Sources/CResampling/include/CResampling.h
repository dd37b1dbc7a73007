/// The inner loops of resampling, for several instruction sets: rows of bytes are weighed and added, then the pixels of the sum.
///
/// Lengths are in samples; a pixel has `channels` of them, 1, 3 or 4, the last of 4 being alpha.
#ifndef CRESAMPLING_H
#define CRESAMPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/// Samples that `fcresampling_combine` reads at a time.
#define FCRESAMPLING_LANES 8

/// Lines that it makes fastest together.
#define FCRESAMPLING_ROWS 4

/// Adds up `count` rows, each times its weight. Of 4 channels, colors count by their alpha.
///
/// - samples: of a row.
/// - isSum: whether `sum` already holds rows, to which these are added.
void fcresampling_blend(const uint8_t *_Nonnull const *_Nonnull rows, const float *weights, size_t count, size_t samples,
                        size_t channels, bool isSum, float *sum);

/// Makes each of `places` pixels of `vectors` stretches of a line, 8 samples each; of 1 to `FCRESAMPLING_ROWS` lines, `stride` floats
/// apart.
///
/// - starts: where a pixel's first stretch begins, in samples. One stretch has 8, 2 or 2 pixels, by channels, and the next one begins
///   behind these.
/// - weights: 8 for each stretch: those of its pixels, each as often as there are channels, and zeros.
/// - out: the lines made, `outStride` floats apart; each has room for 3 samples more than it gets.
void fcresampling_combine(size_t rows, const float *lines, size_t stride, const uint32_t *starts, const float *weights,
                          size_t vectors, size_t places, size_t channels, float *out, size_t outStride);

/// The nearest whole numbers in 0…255; halves become the next one.
void fcresampling_round(const float *samples, size_t count, uint8_t *out);

/// Makes the means of squares of `factor` × `factor` pixels, the nearest whole numbers.
///
/// - rows: `factor` of them, 2 to 4.
/// - pixels: of a row, above 0. Where a square reaches behind the last one, that counts again.
/// - channels: 1 or 3.
/// - sums: room for `pixels` + 4 pixels of 4 samples.
/// - out: gets a pixel for each square that begins in the rows.
void fcresampling_mean(const uint8_t *_Nonnull const *_Nonnull rows, size_t factor, size_t pixels, size_t channels,
                       uint16_t *sums, uint8_t *out);

/// The same four for one instruction set.
typedef struct FCResamplingLoops {
  const char *name;
  void (*blend)(const uint8_t *_Nonnull const *_Nonnull rows, const float *weights, size_t count, size_t samples,
                size_t channels, bool isSum, float *sum);
  void (*combine)(size_t rows, const float *lines, size_t stride, const uint32_t *starts, const float *weights,
                  size_t vectors, size_t places, size_t channels, float *out, size_t outStride);
  void (*round)(const float *samples, size_t count, uint8_t *out);
  void (*mean)(const uint8_t *_Nonnull const *_Nonnull rows, size_t factor, size_t pixels, size_t channels,
               uint16_t *sums, uint8_t *out);
} FCResamplingLoops;

/// Those that this processor has, the fastest first, which the functions above are; NULL behind the last. For tests.
const FCResamplingLoops *_Nullable fcresampling_loops(size_t index);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif

#endif
