import Glibc
import SystemPackage

/// A file that appears under its name whole or not at all.
///
/// The bytes go to a file without a name in the same folder, which no one can see and which vanishes with the process; when
/// it is complete and on the disk it gets its name, in the place of whatever had it. Where the file system knows no
/// such files, a hidden temporary file does the same. Devices and pipes are written to as they are.
struct OutputFile: ~Copyable {
  private let path: FilePath
  private let descriptor: FileDescriptor
  /// The temporary file's name, if it has one.
  private let temporary: FilePath?
  private let isStream: Bool
  /// The mode of the file to be replaced, which its successor takes over.
  private let mode: CModeT?

  /// Opens the output's folder for writing, and refuses outputs that cannot be or must not be written, so that it is known
  /// before any work is done.
  ///
  /// - Parameter input: refused as an output, by whatever path it is named.
  init(_ path: FilePath, notReplacing input: FilePath?) throws(FileError) {
    let existing = try Self.existing(at: path, notReplacing: input)
    let isStream = existing.map { !$0.isRegular || Self.isDescriptor(path) } ?? false
    let (descriptor, temporary) = try isStream ? (Self.openStream(path), nil) : Self.openUnseen(for: path)
    self.path = path
    self.isStream = isStream
    self.descriptor = descriptor
    self.temporary = temporary
    mode = isStream ? nil : existing?.mode
  }

  /// What has the output's name now, if it may be replaced.
  private static func existing(at path: FilePath, notReplacing input: FilePath?) throws(FileError) -> FileStatus? {
    guard let existing = FileStatus(path) else { return nil }
    guard !existing.isFolder else { throw FileError(path.string, "is a folder; name a file in it") }
    guard input.flatMap({ FileStatus($0) })?.isSameFile(as: existing) != true else {
      throw FileError(path.string, "is the input, which is never written to; choose another name")
    }
    return existing
  }

  /// Whether the path is the system's name for an open file, as /dev/stdout is: a link that must not be replaced.
  private static func isDescriptor(_ path: FilePath) -> Bool {
    path.starts(with: "/dev") || path.starts(with: "/proc")
  }

  private static func openStream(_ path: FilePath) throws(FileError) -> FileDescriptor {
    try FileError.wrap(path.string) { try FileDescriptor.open(path, .writeOnly, options: [.append, .closeOnExec]) }
  }

  /// A new file in the folder of `path` that no one sees, or one with a temporary name.
  private static func openUnseen(for path: FilePath) throws(FileError) -> (FileDescriptor, temporary: FilePath?) {
    let folder = path.folder
    let unnamed = unsafe folder.withPlatformString { unsafe Glibc.open($0, unnamedFile | O_WRONLY | O_CLOEXEC, 0o666) }
    if unnamed >= 0 { return (FileDescriptor(rawValue: unnamed), nil) }
    // What file systems without such files say.
    let error = Errno(rawValue: errno)
    guard [.notSupported, .isDirectory, .invalidArgument].contains(error) else {
      throw FileError.writing(path.string, error)
    }
    let temporary = temporaryName(in: folder)
    let descriptor = try FileError.wrap(path.string) {
      try FileDescriptor.open(
        temporary, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
        permissions: .ownerReadWrite)
    }
    return (descriptor, temporary)
  }

  deinit {
    try? descriptor.close()
    if let temporary { _ = unsafe temporary.withPlatformString { unsafe unlink($0) } }
  }

  /// Writes all bytes and gives the file its name.
  consuming func commit(_ bytes: [UInt8]) throws(FileError) {
    let path = path
    do {
      try descriptor.writeAll(bytes)
      guard !isStream else { return }
      if let mode = mode ?? (temporary == nil ? nil : 0o666 & ~FileStatus.umask) {
        guard fchmod(descriptor.rawValue, mode) == 0 else { throw Errno(rawValue: errno) }
      }
      guard fsync(descriptor.rawValue) == 0 else { throw Errno(rawValue: errno) }
      try publish()
    } catch {
      throw FileError.writing(path.string, error)
    }
  }

  private func publish() throws {
    if let temporary {
      try Self.check(
        unsafe temporary.withPlatformString { from in
          unsafe path.withPlatformString { to in unsafe rename(from, to) }
        })
      return
    }
    if try link(to: path) { return }
    // Only rename replaces, and it needs a name to start from, for a moment.
    let step = Self.temporaryName(in: path.folder)
    guard try link(to: step) else { throw Errno.fileExists }
    let status = unsafe step.withPlatformString { from in
      unsafe path.withPlatformString { to in unsafe rename(from, to) }
    }
    if status != 0 {
      let error = Errno(rawValue: errno)
      _ = unsafe step.withPlatformString { unsafe unlink($0) }
      throw error
    }
  }

  /// Gives the file without a name one; false when there is such a file already.
  private func link(to name: FilePath) throws -> Bool {
    let own = FilePath("/proc/self/fd/\(descriptor.rawValue)")
    let status = unsafe own.withPlatformString { from in
      unsafe name.withPlatformString { to in unsafe linkat(AT_FDCWD, from, AT_FDCWD, to, AT_SYMLINK_FOLLOW) }
    }
    if status != 0 && errno == EEXIST { return false }
    try Self.check(status)
    return true
  }

  private static func check(_ status: CInt) throws {
    guard status == 0 else { throw Errno(rawValue: errno) }
  }

  /// Of a file that is there for a moment.
  static func temporaryName(in folder: FilePath) -> FilePath {
    folder.appending(".facecrop-\(getpid())-\(UInt32.random(in: .min ... .max)).tmp")
  }

  /// `O_TMPFILE`, which glibc hides from Swift in a macro.
  private static let unnamedFile: CInt = 0o20000000 | O_DIRECTORY
}
