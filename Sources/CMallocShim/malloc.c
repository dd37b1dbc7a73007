#include "CMallocShim.h"

#include <malloc.h>

void fc_malloc_return_blocks_from(size_t bytes) {
  mallopt(M_MMAP_THRESHOLD, (int)bytes);
  mallopt(M_TRIM_THRESHOLD, (int)(2 * bytes));
}
