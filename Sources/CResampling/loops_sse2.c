#include "loops.h"

#if defined(__x86_64__)
#define FC_LOOPS fc_loops_sse2
#define FC_INSTRUCTION_SET "sse2"
#include "loops.inc"
#endif
