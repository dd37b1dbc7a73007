import Glibc

/// The memory for decoded pixels.
@safe enum PixelMemory {
  /// Reused memory, whose pages exist.
  case used(UnsafeMutableBufferPointer<UInt8>)
  /// Memory that the system must first provide, page by page, as in a program that decodes once. It comes directly from
  /// the system, since an allocator may return used memory.
  case new

  /// Runs `body` with at least `count` bytes, which are freed afterwards.
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
