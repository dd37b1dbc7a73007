#include "kernels.h"

#if defined(__x86_64__)
#include "avx512.h"

#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))), apply_to = function)
#define FC_WITH_PAIRS(sums, a, b) ((sums) + (Sums)_mm512_madd_epi16((__m512i)(a), (__m512i)(b)))
#define FC_KERNELS fc_kernels_avx512
#define FC_INSTRUCTION_SET "avx512"
#include "kernels.inc"
#pragma clang attribute pop
#endif
