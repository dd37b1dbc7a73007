import CServiceMalloc
import ServiceLifecycle

/// Sets glibc's heap so that little stays of a burst: two arenas instead of eight a processor, and large blocks given back
/// to the system when they are freed.
func limitHeap() {
  _ = mallopt(M_ARENA_MAX, 2)
  _ = mallopt(M_MMAP_THRESHOLD, 512 << 10)
  _ = mallopt(M_TRIM_THRESHOLD, 4 << 20)
}

/// Gives the pages between blocks that are in use back to the system (malloc_trim(3)). By itself glibc gives back what is free at a
/// heap's end alone, and under load something always lies there: 42 of 101 MiB were in use once.
func trimHeap() {
  _ = malloc_trim(0)
}

/// Trims the heap all the time.
struct HeapTrimmer: Service {
  /// Rarely enough that the pages which are touched again do not count.
  private static let interval = Duration.seconds(10)

  func run() async {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: Self.interval)
        trimHeap()
      }
    }
  }
}
