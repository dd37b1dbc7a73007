// glibc's heap settings and search for bytes, which Swift's module Glibc omits.
#include <malloc.h>

void *memmem(const void *all, size_t count, const void *pattern, size_t pattern_count);
