#include "seam.h"

#include <stdlib.h>

FCWebPCancellation *fcwebp_cancellation_create(void) {
  FCWebPCancellation *flag = malloc(sizeof *flag);
  if (flag != NULL) atomic_init(&flag->cancelled, false);
  return flag;
}

void fcwebp_cancellation_destroy(FCWebPCancellation *flag) { free(flag); }

void fcwebp_cancellation_cancel(FCWebPCancellation *flag) {
  atomic_store_explicit(&flag->cancelled, true, memory_order_relaxed);
}

bool fcwebp_cancellation_is_cancelled(const FCWebPCancellation *flag) {
  return atomic_load_explicit(&flag->cancelled, memory_order_relaxed);
}

FCWebPStatus fcwebp_refuse(const char **message, FCWebPStatus status, const char *text) {
  *message = text;
  return status;
}

bool fcwebp_rows_fit(size_t rowBytes, size_t stride, size_t capacity, uint32_t count) {
  return count > 0 && stride >= rowBytes && capacity >= rowBytes && (capacity - rowBytes) / stride >= count - 1;
}
