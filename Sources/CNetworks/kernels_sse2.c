#include "kernels.h"

#if defined(__x86_64__)
#include <emmintrin.h>

#define FC_BYTES 16
#define FC_TILE_16 2, 4
#define FC_WITH_PAIRS(sums, a, b) ((sums) + (Sums)_mm_madd_epi16((__m128i)(a), (__m128i)(b)))
#define FC_NARROWED(low, high) ((Samples)_mm_packs_epi32((__m128i)(low), (__m128i)(high)))
#define FC_PRODUCTS(a, b) ((Samples)_mm_mulhi_epi16((__m128i)(a), (__m128i)(b)))
#define FC_KERNELS fc_kernels_sse2
#define FC_INSTRUCTION_SET "sse2"
#include "kernels.inc"
#endif
