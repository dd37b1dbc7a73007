#include "loops.h"

#include <stdatomic.h>

const FCResamplingLoops *fcresampling_loops(size_t index) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool hasAVX2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const FCResamplingLoops *const sets[] = {hasAVX2 ? &fc_loops_avx2 : NULL, &fc_loops_sse2};
#else
  const FCResamplingLoops *const sets[] = {&fc_loops_neon};
#endif
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    if (sets[i] != NULL && index-- == 0) return sets[i];
  }
  return NULL;
}

/// Two threads that choose at the same time choose the same loops.
const FCResamplingLoops *fcresampling_fastest(void) {
  static _Atomic(const FCResamplingLoops *) chosen;
  const FCResamplingLoops *set = atomic_load_explicit(&chosen, memory_order_relaxed);
  if (set == NULL) {
    set = fcresampling_loops(0);
    atomic_store_explicit(&chosen, set, memory_order_relaxed);
  }
  return set;
}
