#include "seam.h"

FCWebPStatus fcwebp_refuse(const char **message, FCWebPStatus status, const char *text) {
  *message = text;
  return status;
}

bool fcwebp_rows_fit(size_t rowBytes, size_t stride, size_t capacity, uint32_t count) {
  return count > 0 && stride >= rowBytes && capacity >= rowBytes && (capacity - rowBytes) / stride >= count - 1;
}
