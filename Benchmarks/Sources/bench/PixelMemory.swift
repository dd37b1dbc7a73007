import Glibc

/// Where decoded pixels go.
@safe enum PixelMemory {
  /// Memory that is used again and again, and so is there.
  case used(UnsafeMutableBufferPointer<UInt8>)
  /// Memory that the system has to give first, page by page, as it has in a program that decodes once. Straight from the
  /// system: an allocator may have memory left that was used before.
  case new

  /// Runs `body` with at least `count` bytes, which are given back after it.
  func with(_ count: Int, _ body: (UnsafeMutablePointer<UInt8>) throws -> Void) throws {
    switch self {
    case .used(let bytes):
      precondition(count <= bytes.count, "the memory is too small")
      try unsafe body(bytes.baseAddress!)
    case .new:
      guard let pages = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
        unsafe pages != MAP_FAILED
      else { throw BenchError("there is no memory for \(count) bytes of pixels") }
      defer { unsafe munmap(pages, count) }
      try unsafe body(pages.assumingMemoryBound(to: UInt8.self))
    }
  }
}
