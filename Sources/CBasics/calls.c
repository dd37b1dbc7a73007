#include "CBasics.h"

#include <stdio.h>

FCStatus fc_refuse(FCMessage *message, FCStatus status, const char *text) {
  snprintf(message->text, sizeof message->text, "%s", text);
  return status;
}

bool fc_rows_fit(size_t rowBytes, size_t stride, size_t capacity, uint32_t count) {
  return count > 0 && stride >= rowBytes && capacity >= rowBytes && (capacity - rowBytes) / stride >= count - 1;
}
