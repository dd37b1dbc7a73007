import Glibc
import SystemPackage

/// A file of JSON lines that grows by whole lines, locked for the life of the object.
///
/// The first line identifies the format, and other existing files are refused. Each line is appended by one call. If a
/// power cut or a full disk left an incomplete last line, reopening removes it. If the file loses its name, writing
/// fails, because later lines would be lost.
final class LineFile: Sendable {
  let path: FilePath
  private let title: String
  private let descriptor: FileDescriptor

  /// Opens or creates the file, and calls `body` with all lines but the first, in order, without their ends. `option`
  /// is the one that names another file.
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
      throw FileError(path.string, "another run is using the file (wait for its end)")
    }
    try checkName()
    try checkFirstLine(format, option: option)
    try read(body)
    if let status = try? FileStatus(of: descriptor) { gate.note(open: status) }
  }

  /// Checks that the path still leads to the open file.
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
    // A process that was forked meanwhile holds the file too, and with it the lock.
    _ = flock(descriptor.rawValue, LOCK_UN)
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
      // The file is empty, or a power cut left part of the first line, which is completed.
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

  /// Calls `body` with the lines, and removes an incomplete end: a line without an end, or with a zero, which a power
  /// cut leaves of unwritten bytes. Other lines stay, readable or not.
  private func read(_ body: ([UInt8]) -> Void) throws(FileError) {
    try FileError.wrap(path.string) {
      var end = 0
      var position = 0
      var number = 0
      var reader = LineReader(descriptor, longest: LineReader.longestRecord)
      while let line = try reader.next() {
        number += 1
        if line.isTooLong { throw FileError.tooLong(path.string, line: number, kind: "output") }
        position += line.bytes.count + (line.isEnded ? 1 : 0)
        guard line.isEnded, !line.bytes.contains(0) else { continue }
        if end > 0 { body(line.bytes) }
        end = position
      }
      if end < position { try descriptor.resize(to: Int64(end)) }
    }
  }

  /// Removes all lines but the first.
  func removeLines() throws(FileError) {
    try FileError.wrap(path.string) {
      var reader = LineReader(descriptor, longest: LineReader.longestRecord)
      try descriptor.seek(offset: 0, from: .start)
      guard let first = try reader.next() else { return }
      try descriptor.resize(to: Int64(first.bytes.count + 1))
    }
  }

  /// Appends a line with its end, or nothing if it cannot be written whole. Throws also if the path no longer leads to
  /// the file.
  func append(_ line: String) throws(FileError) {
    try checkName()
    try FileError.wrap(path.string) {
      let end = try descriptor.seek(offset: 0, from: .end)
      do {
        try descriptor.writeAll(line.utf8)
      } catch {
        try? descriptor.resize(to: end)
        throw error
      }
    }
  }

  /// Waits until the disk has the file. Throws also if the path no longer leads to the file.
  func synchronize() throws(FileError) {
    try FileError.wrap(path.string) { try descriptor.synchronize() }
    try checkName()
  }
}
