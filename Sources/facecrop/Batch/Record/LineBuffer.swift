import Glibc

/// The bytes of a stream that are no returned line yet. Each of them is searched once.
struct LineBuffer {
  private var bytes: [UInt8] = []
  private var start = 0
  private var searched = 0

  var rest: ArraySlice<UInt8> { bytes[start...] }

  mutating func append(_ other: some Collection<UInt8>) {
    bytes.removeFirst(start)
    (start, searched) = (0, bytes.count)
    bytes += other
  }

  /// Removes and returns the next line without its end; nil if its end is missing.
  mutating func line() -> ArraySlice<UInt8>? {
    let end = unsafe bytes.withUnsafeBytes { bytes -> Int? in
      guard searched < bytes.count, let first = bytes.baseAddress else { return nil }
      let end = unsafe memchr(first + searched, CInt(UInt8(ascii: "\n")), bytes.count - searched)
      return unsafe end.map { unsafe UnsafeRawPointer($0) - first }
    }
    guard let end else { return nil }
    defer { (start, searched) = (end + 1, end + 1) }
    return bytes[start..<end]
  }
}
