/// Measures what some work of this thread costs: instructions, or time by the speed of the machine, and memory.
#ifndef CCOST_H
#define CCOST_H

#include <stdbool.h>

typedef struct {
  /// Instructions, or an estimate of them from the thread's processor time where the system counts none.
  double instructions;
  /// Whether they are an estimate.
  bool isEstimated;
  /// The most bytes that were allocated at a time; 0 under a sanitizer, which has an allocator of its own.
  double bytes;
} FCCost;

/// Begins to count the calling thread's work.
void fccost_begin(void);
/// Ends to count, and returns the costs since `fccost_begin`.
FCCost fccost_end(void);

#endif
