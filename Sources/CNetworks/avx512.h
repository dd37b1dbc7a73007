/// Operations that all AVX-512 kernels share; see `kernels.inc`.
#include <immintrin.h>

#define FC_BYTES 64
#define FC_TILE_80 5, 5
#define FC_TILE_64 6, 4
#define FC_TILE_48 8, 3
#define FC_TILE_32 12, 2
#define FC_TILE_16 12, 1
#define FC_NARROWER fc_kernels_avx2
#define FC_NARROWED(low, high)                                                                     \
  ((Samples)_mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtsepi32_epi16((__m512i)(low))), \
                               _mm512_cvtsepi32_epi16((__m512i)(high)), 1))
#define FC_PRODUCTS(a, b) ((Samples)_mm512_mulhi_epi16((__m512i)(a), (__m512i)(b)))
