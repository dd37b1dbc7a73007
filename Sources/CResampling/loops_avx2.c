#include "loops.h"

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#define FC_LOOPS fc_loops_avx2
#define FC_INSTRUCTION_SET "avx2"
#include "loops.inc"
#pragma clang attribute pop
#endif
