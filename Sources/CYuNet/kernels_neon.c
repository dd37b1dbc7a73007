#include "kernels.h"

#if !defined(__x86_64__)
#define FC_LANES 4
#define FC_TILE_64 6, 4
#define FC_TILE_16 6, 4
#define FC_KERNELS fc_kernels_neon
#define FC_INSTRUCTION_SET "neon"
#include "kernels.inc"
#endif
