import SystemPackage

/// The lines of an open file or pipe, one after the other.
struct LineReader {
  struct Line {
    /// Without its end.
    var bytes: [UInt8]
    /// The last line of a file may lack its end.
    var isEnded: Bool
  }

  private let descriptor: FileDescriptor
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  init(_ descriptor: FileDescriptor) {
    self.descriptor = descriptor
  }

  /// Nil at the end.
  mutating func next() throws -> Line? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        return Line(bytes: Array(buffer[start..<end]), isEnded: true)
      }
      searched = buffer.count - start
      buffer.removeFirst(start)
      start = 0
      if isAtEnd {
        defer { buffer = [] }
        return buffer.isEmpty ? nil : Line(bytes: buffer, isEnded: false)
      }
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      let count = try unsafe chunk.withUnsafeMutableBytes { unsafe try descriptor.read(into: $0) }
      isAtEnd = count == 0
      buffer += chunk[..<count]
    }
  }
}
