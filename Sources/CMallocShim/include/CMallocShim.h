/// glibc's allocator, of which Swift's Glibc module knows nothing.
#ifndef CMALLOC_H
#define CMALLOC_H

#include <stddef.h>

/// Blocks of so many bytes or more go back to the system when they are freed. By itself glibc raises its threshold to what was
/// freed, up to 32 MiB, and keeps blocks below it. For the whole process, before it has threads.
void fc_malloc_return_blocks_from(size_t bytes);

#endif
