#include "kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#define FC_BYTES 32
#define FC_TILE_16 6, 2
#define FC_WITH_PAIRS(sums, a, b) ((sums) + (Sums)_mm256_madd_epi16((__m256i)(a), (__m256i)(b)))
// The instruction packs each half of a vector separately.
#define FC_NARROWED(low, high) \
  ((Samples)_mm256_permute4x64_epi64(_mm256_packs_epi32((__m256i)(low), (__m256i)(high)), _MM_SHUFFLE(3, 1, 2, 0)))
#define FC_PRODUCTS(a, b) ((Samples)_mm256_mulhi_epi16((__m256i)(a), (__m256i)(b)))
#define FC_KERNELS fc_kernels_avx2
#define FC_INSTRUCTION_SET "avx2"
#include "kernels.inc"
#pragma clang attribute pop
#endif
