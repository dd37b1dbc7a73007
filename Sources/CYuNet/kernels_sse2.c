#include "kernels.h"

#if defined(__x86_64__)
#define FC_LANES 4
#define FC_TILE_64 2, 4
#define FC_TILE_16 2, 4
#define FC_KERNELS fc_kernels_sse2
#define FC_INSTRUCTION_SET "sse2"
#include "kernels.inc"
#endif
