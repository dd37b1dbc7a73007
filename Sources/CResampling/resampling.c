#include "loops.h"

#include <stdatomic.h>

const FCResamplingLoops *fcresampling_loops(size_t index) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool hasAVX2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const FCResamplingLoops *const sets[] = {hasAVX2 ? &fc_loops_avx2 : NULL, &fc_loops_sse2};
#else
  const FCResamplingLoops *const sets[] = {&fc_loops_neon};
#endif
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    if (sets[i] != NULL && index-- == 0) return sets[i];
  }
  return NULL;
}

static _Atomic(const FCResamplingLoops *) chosen;

/// Returns the fastest loops. Two threads that choose at the same time choose the same ones.
static const FCResamplingLoops *loops(void) {
  const FCResamplingLoops *set = atomic_load_explicit(&chosen, memory_order_relaxed);
  if (set == NULL) {
    set = fcresampling_loops(0);
    atomic_store_explicit(&chosen, set, memory_order_relaxed);
  }
  return set;
}

void fcresampling_blend(const uint8_t *const *rows, const float *weights, size_t count, size_t samples, size_t channels,
                        bool isSum, float *sum) {
  loops()->blend(rows, weights, count, samples, channels, isSum, sum);
}

void fcresampling_combine(size_t rows, const float *lines, size_t stride, const uint32_t *starts, const float *weights,
                          size_t vectors, size_t places, size_t channels, float *out, size_t outStride) {
  loops()->combine(rows, lines, stride, starts, weights, vectors, places, channels, out, outStride);
}

void fcresampling_round(const float *samples, size_t count, uint8_t *out) { loops()->round(samples, count, out); }

void fcresampling_mean(const uint8_t *const *rows, size_t factor, size_t pixels, size_t channels, uint16_t *sums,
                       uint8_t *out) {
  loops()->mean(rows, factor, pixels, channels, sums, out);
}

void fcresampling_interpolate(const uint8_t *row, const uint32_t *starts, const int32_t *weights, size_t columns,
                              size_t channels, int16_t *out) {
  loops()->interpolate(row, starts, weights, columns, channels, out);
}

void fcresampling_between(const int16_t *upper, const int16_t *lower, int16_t first, int16_t second, size_t count,
                          uint8_t *out) {
  loops()->between(upper, lower, first, second, count, out);
}
