#include "kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))), apply_to = function)
#define FC_BYTES 64
#define FC_TILE_64 6, 4
#define FC_TILE_16 12, 1
#define FC_NARROWER fc_kernels_avx2
#define FC_WITH_PAIRS(sums, a, b) ((sums) + (Sums)_mm512_madd_epi16((__m512i)(a), (__m512i)(b)))
#define FC_NARROWED(low, high)                                                                     \
  ((Samples)_mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtsepi32_epi16((__m512i)(low))), \
                               _mm512_cvtsepi32_epi16((__m512i)(high)), 1))
#define FC_PRODUCTS(a, b) ((Samples)_mm512_mulhi_epi16((__m512i)(a), (__m512i)(b)))
#define FC_KERNELS fc_kernels_avx512
#define FC_INSTRUCTION_SET "avx512"
#include "kernels.inc"
#pragma clang attribute pop
#endif
