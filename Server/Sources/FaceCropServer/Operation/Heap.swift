import CServiceMalloc

/// Sets glibc's heap so that little stays of a burst: two arenas instead of eight a processor, and large blocks given back
/// to the system when they are freed.
func limitHeap() {
  _ = mallopt(M_ARENA_MAX, 2)
  _ = mallopt(M_MMAP_THRESHOLD, 512 << 10)
  _ = mallopt(M_TRIM_THRESHOLD, 4 << 20)
}
