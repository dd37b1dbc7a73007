import FaceCrop
import Glibc
import SystemPackage

/// A reader for the lines of an open file or pipe.
struct LineReader {
  struct Line {
    /// The line without its end; empty if it is too long.
    var bytes: [UInt8]
    /// Whether the line has an end; the last line of a file may lack it.
    var isEnded: Bool
    /// Whether the line was skipped because it is too long.
    var isTooLong = false
  }

  /// The upper bound of a line in a manifest or plan list in bytes. A line takes some kilobytes for each face.
  static let longestRecord = 64 << 20

  private let descriptor: FileDescriptor
  private let longest: Int
  private let stopsAtLongLine: Bool
  private var time: ReadingTime
  private var buffer = LineBuffer()
  private var isAtEnd = false

  /// Creates a reader for lines up to `longest` bytes. `silence` is the timeout between two reads. With
  /// `stopsAtLongLine`, it does not look for the end of a longer line, and no line follows.
  init(
    _ descriptor: FileDescriptor, longest: Int, silence: Duration = .seconds(Int64.max), stopsAtLongLine: Bool = false
  ) {
    self.descriptor = descriptor
    self.longest = longest
    self.stopsAtLongLine = stopsAtLongLine
    time = ReadingTime(silence, isOfSilence: true)
  }

  /// Returns the next line; nil at the end.
  mutating func next() throws -> Line? {
    var isTooLong = false
    while true {
      if let bytes = buffer.line() { return line(bytes, isEnded: true, isTooLong: isTooLong) }
      if buffer.rest.count > longest {
        buffer = LineBuffer()
        isTooLong = true
        isAtEnd = isAtEnd || stopsAtLongLine
      }
      if isAtEnd {
        let rest = buffer.rest
        buffer = LineBuffer()
        return rest.isEmpty && !isTooLong ? nil : line(rest, isEnded: false, isTooLong: isTooLong)
      }
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      let count = try unsafe chunk.withUnsafeMutableBytes { unsafe try time.read(descriptor, into: $0) }
      isAtEnd = count == 0
      buffer.append(chunk[..<count])
    }
  }

  private func line(_ bytes: ArraySlice<UInt8>, isEnded: Bool, isTooLong: Bool) -> Line {
    let isTooLong = isTooLong || bytes.count > longest
    return Line(bytes: isTooLong ? [] : Array(bytes), isEnded: isEnded, isTooLong: isTooLong)
  }
}

extension FileError {
  static func tooLong(_ file: String, line number: Int, kind: String) -> FileError {
    FileError(file, "line \(number) is longer than \(LineReader.longestRecord >> 20) MiB", kind: kind)
  }
}

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
