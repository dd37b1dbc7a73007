#include "CCancellation.h"

#include <stdatomic.h>
#include <stdlib.h>

struct FCCancellation {
  atomic_bool isCancelled;
};

FCCancellation *fc_cancellation_create(void) {
  FCCancellation *flag = malloc(sizeof *flag);
  if (flag != NULL) atomic_init(&flag->isCancelled, false);
  return flag;
}

void fc_cancellation_destroy(FCCancellation *flag) { free(flag); }

void fc_cancellation_cancel(FCCancellation *flag) {
  atomic_store_explicit(&flag->isCancelled, true, memory_order_relaxed);
}

bool fc_cancellation_is_cancelled(const FCCancellation *flag) {
  return atomic_load_explicit(&flag->isCancelled, memory_order_relaxed);
}
