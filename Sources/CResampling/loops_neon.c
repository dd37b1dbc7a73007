#include "loops.h"

#if !defined(__x86_64__)
#define FC_LOOPS fc_loops_neon
#define FC_INSTRUCTION_SET "neon"
#include "loops.inc"
#endif
