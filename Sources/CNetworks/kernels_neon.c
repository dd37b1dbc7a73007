#include "kernels.h"

#if !defined(__x86_64__)
#include <arm_neon.h>

/// Adds pairs of products; the weights of each input are every second number.
static inline __attribute__((always_inline)) int32x4_t with_pairs(int32x4_t sums, int16x8_t two, int16x8_t weights) {
  const int16x4_t first = vget_low_s16(vuzp1q_s16(weights, weights)),
                  second = vget_low_s16(vuzp2q_s16(weights, weights));
  return vmlal_laneq_s16(vmlal_laneq_s16(sums, first, two, 0), second, two, 1);
}

#define FC_BYTES 16
#define FC_TILE_16 4, 4
#define FC_WITH_PAIRS(sums, a, b) ((Sums)with_pairs((int32x4_t)(sums), (int16x8_t)(a), (int16x8_t)(b)))
#define FC_NARROWED(low, high) ((Samples)vqmovn_high_s32(vqmovn_s32((int32x4_t)(low)), (int32x4_t)(high)))
#define FC_PRODUCTS(a, b) ((Samples)vshrq_n_s16(vqdmulhq_s16((int16x8_t)(a), (int16x8_t)(b)), 1))
#define FC_KERNELS fc_kernels_neon
#define FC_INSTRUCTION_SET "neon"
#include "kernels.inc"
#endif
