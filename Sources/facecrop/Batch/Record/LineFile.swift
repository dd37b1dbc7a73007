import Glibc
import SystemPackage

/// A file of JSON lines that grows by whole lines, and is one process's alone while it is open.
///
/// A line is written by one call, behind all others. What a power cut or a full disk left of one is taken away when the file
/// is opened again.
struct LineFile: Sendable {
  let path: FilePath
  private let descriptor: FileDescriptor

  /// Opens the file, or makes it, and gives its lines to `body`, in order, without their ends.
  ///
  /// - Parameters:
  ///   - what: what it is, for messages.
  ///   - option: names another.
  ///   - body: returns whether it can read the line. What follows the last line that it can read is taken away if it has no
  ///     end or holds no text, as what a power cut leaves.
  init(
    _ path: FilePath, what: String, option: String, _ body: ([UInt8]) -> Bool
  ) throws(FileError) {
    self.path = path
    if let status = FileStatus(path), !status.isRegular {
      throw FileError(path.string, "is \(status.kindName), and the \(what) must be a file; name one with \(option)")
    }
    descriptor = try FileError.wrap(path.string) {
      try FileDescriptor.open(
        path, .readWrite, options: [.create, .append, .closeOnExec],
        permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
    }
    guard flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0 else {
      try? descriptor.close()
      throw FileError(path.string, "is in use by another run; wait for its end, or name another with \(option)")
    }
    do {
      try repair(what: what, option: option, body)
    } catch {
      try? descriptor.close()
      throw error
    }
  }

  private func repair(what: String, option: String, _ body: ([UInt8]) -> Bool) throws(FileError) {
    var lines = 0
    var readable = 0
    var end = 0
    var start: UInt8?
    var position = 0
    var reader = LineReader(descriptor)
    while let line = try FileError.wrap(path.string, { try reader.next() }) {
      if start == nil { start = line.bytes.first }
      lines += 1
      position += line.bytes.count + (line.isEnded ? 1 : 0)
      guard line.isEnded, body(line.bytes) else { continue }
      readable += 1
      end = position
    }
    // Someone else's file is not to be cut.
    guard readable > 0 || position == 0 || (lines == 1 && (start == UInt8(ascii: "{") || start == 0)) else {
      throw FileError(path.string, "is no \(what); name another with \(option)")
    }
    if end < position {
      try FileError.wrap(path.string) { try descriptor.resize(to: Int64(end)) }
    }
  }

  /// Adds a line, with its end; if not all of it can be written, none of it.
  func append(_ line: String) throws(FileError) {
    do {
      let end = try descriptor.seek(offset: 0, from: .end)
      do {
        try descriptor.writeAll(line.utf8)
      } catch {
        try? descriptor.resize(to: end)
        throw error
      }
    } catch {
      throw FileError.writing(path.string, error)
    }
  }

  /// Waits until the disk has it.
  func synchronize() throws(FileError) {
    guard fsync(descriptor.rawValue) == 0 else { throw FileError.writing(path.string, Errno(rawValue: errno)) }
  }
}
