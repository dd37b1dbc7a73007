/// The loops of each instruction set (`loops.inc`).
#pragma once

#include "CResampling.h"

#if defined(__x86_64__)
extern const FCResamplingLoops fc_loops_sse2, fc_loops_avx2;
#else
extern const FCResamplingLoops fc_loops_neon;
#endif
