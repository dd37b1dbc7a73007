#include "kernels.h"

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma"))), apply_to = function)
#define FC_LANES 16
#define FC_TILE_64 6, 4
#define FC_TILE_16 12, 1
#define FC_KERNELS fc_kernels_avx512
#define FC_INSTRUCTION_SET "avx512"
#include "kernels.inc"
#pragma clang attribute pop
#endif
