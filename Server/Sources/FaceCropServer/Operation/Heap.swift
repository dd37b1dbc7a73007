import CServiceMalloc
import ServiceLifecycle

/// Limits the memory that glibc's heap keeps after a burst: two arenas in all, and no freed large blocks.
func limitHeap() {
  _ = mallopt(M_ARENA_MAX, 2)
  _ = mallopt(M_MMAP_THRESHOLD, 512 << 10)
  _ = mallopt(M_TRIM_THRESHOLD, 4 << 20)
}

/// Returns free pages inside the heap to the system (malloc_trim(3)). By itself, glibc returns only those at a heap's
/// end. Under load, that end is always in use: once 42 of 101 MiB were in use.
func trimHeap() { _ = malloc_trim(0) }

/// A service that trims the heap periodically.
struct HeapTrimmer: Service {
  /// Long enough that the cost of touching released pages again is negligible.
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
