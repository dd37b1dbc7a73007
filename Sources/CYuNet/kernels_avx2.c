#include "kernels.h"

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#define FC_LANES 8
#define FC_TILE_64 6, 2
#define FC_TILE_16 6, 2
#define FC_KERNELS fc_kernels_avx2
#define FC_INSTRUCTION_SET "avx2"
#include "kernels.inc"
#pragma clang attribute pop
#endif
