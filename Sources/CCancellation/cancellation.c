#include "CCancellation.h"

#include <stdatomic.h>
#include <stdlib.h>

struct FCCancellation {
  atomic_bool isCancelled;
  atomic_size_t steps;
};

FCCancellation *fc_cancellation_create(void) {
  FCCancellation *flag = malloc(sizeof *flag);
  if (flag == NULL) return NULL;
  atomic_init(&flag->isCancelled, false);
  atomic_init(&flag->steps, 0);
  return flag;
}

void fc_cancellation_destroy(FCCancellation *flag) { free(flag); }

void fc_cancellation_cancel(FCCancellation *flag) {
  atomic_store_explicit(&flag->isCancelled, true, memory_order_relaxed);
}

bool fc_cancellation_is_cancelled(const FCCancellation *flag) {
  return atomic_load_explicit(&flag->isCancelled, memory_order_relaxed);
}

bool fc_cancellation_step(FCCancellation *flag, size_t count) {
  // Only the working thread writes the count, so a plain store is enough and cheaper than a read-modify-write.
  const size_t steps = atomic_load_explicit(&flag->steps, memory_order_relaxed);
  atomic_store_explicit(&flag->steps, steps + count, memory_order_relaxed);
  return fc_cancellation_is_cancelled(flag);
}

size_t fc_cancellation_steps(const FCCancellation *flag) {
  return atomic_load_explicit(&flag->steps, memory_order_relaxed);
}
