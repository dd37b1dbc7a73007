#include "kernels.h"

#if defined(__x86_64__)
#include "avx512.h"

#pragma clang attribute push(                                                                                          \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni"))), apply_to = function)
// One step for products and sums that take two with plain AVX-512; the results are identical.
#define FC_WITH_PAIRS(sums, a, b) ((Sums)_mm512_dpwssd_epi32((__m512i)(sums), (__m512i)(a), (__m512i)(b)))
#define FC_KERNELS fc_kernels_avx512vnni
#define FC_INSTRUCTION_SET "avx512vnni"
#include "kernels.inc"
#pragma clang attribute pop
#endif
