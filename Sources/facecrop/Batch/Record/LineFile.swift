import Glibc
import SystemPackage

/// A file of JSON lines that grows by whole lines, and is nobody else's while it is open, which it is for the object's life.
///
/// Its first line says what it is; a file that was there and does not say so is left as it is. A line is written by one call,
/// behind all others. What a power cut or a full disk left of the last one is taken away when the file is opened again. A file that loses its
/// name while it is open is a fault, since what is written to it then is lost.
final class LineFile: Sendable {
  let path: FilePath
  private let title: String
  private let descriptor: FileDescriptor

  /// Opens the file, or makes it, and gives its lines but the first to `body`, in order, without their ends.
  ///
  /// - Parameters:
  ///   - format: what it is.
  ///   - option: names another.
  ///   - gate: knows the files that must stay.
  init(
    _ path: FilePath, _ format: LineFormat, option: String, gate: WriteGate, _ body: ([UInt8]) -> Void
  ) throws(FileError) {
    self.path = path
    title = format.title
    if let status = FileStatus(path) {
      guard status.isRegular else {
        throw FileError(
          path.string, "the \(format.title) is \(status.kindName), not a regular file (name a file with \(option))")
      }
      try gate.check(status, shown: path.string, title: format.title)
    }
    descriptor = try FileError.wrap(path.string) {
      try FileDescriptor.open(
        path, .readWrite, options: [.create, .append, .closeOnExec],
        permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
    }
    guard flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0 else {
      throw FileError(path.string, "another run is using the file (wait for its end, or name another with \(option))")
    }
    try checkName()
    try checkFirstLine(format, option: option)
    try read(body)
    if let status = try? FileStatus(of: descriptor) { gate.note(written: status.identity) }
  }

  /// Sees that the path still leads to the open file.
  private func checkName() throws(FileError) {
    let own = try? FileStatus(of: descriptor).identity
    guard own != nil, FileStatus(path)?.identity == own else {
      throw FileError(
        path.string,
        "another program deleted or replaced the \(title) during the run, whose results since then are lost (run again)"
      )
    }
  }

  deinit {
    try? descriptor.close()
  }

  private func checkFirstLine(_ format: LineFormat, option: String) throws(FileError) {
    let start = try FileError.wrap(path.string) {
      var bytes = [UInt8](repeating: 0, count: LineFormat.mostBytes)
      let count = try unsafe bytes.withUnsafeMutableBytes {
        try unsafe descriptor.read(fromAbsoluteOffset: 0, into: $0)
      }
      return bytes[..<count]
    }
    guard let end = start.firstIndex(of: UInt8(ascii: "\n")) else {
      // Nothing, or what a power cut left of a file of ours: a part of the line, which is made whole.
      guard start.count < format.line.utf8.count, format.line.utf8.starts(with: start) else {
        throw foreign(format, option)
      }
      try append(String(decoding: format.line.utf8.dropFirst(start.count), as: UTF8.self))
      return try synchronize()
    }
    switch format.claim(of: start[..<end]) {
    case .ours: return
    case .otherVersion(let version):
      throw FileError(
        path.string,
        "the \(format.title) has version \(version), but this facecrop writes version \(format.version) (name another with \(option))"
      )
    case .somethingElse: throw foreign(format, option)
    }
  }

  private func foreign(_ format: LineFormat, _ option: String) -> FileError {
    FileError(
      path.string,
      "the first line of the existing file is not that of a facecrop \(format.title) (name another with \(option))"
    )
  }

  /// Gives the lines to `body` and takes away what is no whole line behind them: one without an end, or with a zero in it, which
  /// is what a power cut leaves of bytes that were not on the disk yet. Others stay, whether they can be read or not.
  private func read(_ body: ([UInt8]) -> Void) throws(FileError) {
    var tooLong: Int?
    try FileError.wrap(path.string) {
      var end = 0
      var position = 0
      var number = 0
      var reader = LineReader(descriptor, longest: LineReader.longestRecord)
      while let line = try reader.next() {
        number += 1
        if line.isTooLong {
          tooLong = number
          return
        }
        position += line.bytes.count + (line.isEnded ? 1 : 0)
        guard line.isEnded, !line.bytes.contains(0) else { continue }
        if end > 0 { body(line.bytes) }
        end = position
      }
      if end < position { try descriptor.resize(to: Int64(end)) }
    }
    if let tooLong { throw .tooLong(path.string, line: tooLong, kind: "output") }
  }

  /// Adds a line, with its end; if not all of it can be written, none of it.
  ///
  /// - Throws: also where the path does not lead to the file any more.
  func append(_ line: String) throws(FileError) {
    try checkName()
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
  ///
  /// - Throws: also where the path does not lead to the file any more.
  func synchronize() throws(FileError) {
    try FileError.wrap(path.string) { try descriptor.synchronize() }
    try checkName()
  }
}
