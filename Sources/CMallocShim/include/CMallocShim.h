/// Settings of glibc's allocator that Swift's Glibc module does not offer.
#pragma once

#include <stddef.h>

/// Returns freed blocks of at least `bytes` bytes to the system at once, and the free end of the heap above twice as
/// many. Without this call, glibc raises its thresholds up to 32 and 64 MiB, and each thread can keep that much. The
/// setting applies to the whole process; call it before other threads start.
void fc_malloc_return_blocks_from(size_t bytes);
