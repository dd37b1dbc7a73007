import Glibc
import SystemPackage

/// An open folder. Operations stay in it, even if the path to it changes. Names refer to files directly in it.
struct OpenFolder: ~Copyable {
  private let descriptor: FileDescriptor

  /// Opens a folder, following symbolic links.
  init(_ path: FilePath) throws(Errno) {
    descriptor = try Self.opened { unsafe path.withPlatformString { unsafe Glibc.open($0, Self.flags) } }
  }

  private init(_ descriptor: FileDescriptor) {
    self.descriptor = descriptor
  }

  deinit {
    try? descriptor.close()
  }

  func copy() throws(Errno) -> OpenFolder {
    OpenFolder(try Self.opened { fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 0) })
  }

  /// Opens a subfolder, but no symbolic link.
  func folder(_ name: FilePath) throws(Errno) -> OpenFolder {
    OpenFolder(
      try Self.opened {
        unsafe name.withPlatformString { unsafe openat(descriptor.rawValue, $0, Self.flags | O_NOFOLLOW) }
      })
  }

  /// Creates a folder, unless the name exists. Returns whether it is new.
  func makeFolder(_ name: FilePath) throws(Errno) -> Bool {
    let result = unsafe name.withPlatformString { unsafe mkdirat(descriptor.rawValue, $0, 0o777) }
    let error = Errno(rawValue: errno)
    if result != 0, error != .fileExists { throw error }
    return result == 0
  }

  /// Returns the status; throws the system's error if there is no file, or it is inaccessible.
  func status(of name: FilePath, followsLinks: Bool) throws(Errno) -> FileStatus {
    try FileStatus(of: name, in: descriptor, followsLinks: followsLinks)
  }

  // MARK: Files

  /// Opens a new file without a name.
  func openUnnamed() throws(Errno) -> FileDescriptor {
    try Self.opened { unsafe openat(descriptor.rawValue, ".", Self.unnamedFile | O_WRONLY | O_CLOEXEC, 0o666) }
  }

  /// Opens a new file that only its owner may access.
  func openNew(_ name: FilePath) throws(Errno) -> FileDescriptor {
    try Self.opened {
      unsafe name.withPlatformString {
        unsafe openat(descriptor.rawValue, $0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      }
    }
  }

  /// Links a file, with symbolic links followed, to a name here; returns false if the name exists.
  func link(_ source: FilePath, as name: FilePath) throws(Errno) -> Bool {
    try link(source, in: AT_FDCWD, AT_SYMLINK_FOLLOW, as: name)
  }

  private func link(_ source: FilePath, in folder: CInt, _ flags: CInt, as name: FilePath) throws(Errno) -> Bool {
    let result = unsafe source.withPlatformString { from in
      unsafe name.withPlatformString { to in unsafe linkat(folder, from, descriptor.rawValue, to, flags) }
    }
    if result == 0 { return true }
    let error = Errno(rawValue: errno)
    if error == .fileExists { return false }
    throw error
  }

  /// Renames a file, and replaces an existing one.
  func rename(_ name: FilePath, to new: FilePath) throws(Errno) {
    let result = unsafe name.withPlatformString { from in
      unsafe new.withPlatformString { to in unsafe renameat(descriptor.rawValue, from, descriptor.rawValue, to) }
    }
    if result != 0 { throw Errno(rawValue: errno) }
  }

  /// Renames a file; throws `Errno.fileExists` if the new name exists.
  func renameNew(_ name: FilePath, to new: FilePath) throws(Errno) {
    guard try link(name, in: descriptor.rawValue, 0, as: new) else { throw .fileExists }
    remove(name)
  }

  /// Deletes a file, if it exists.
  func remove(_ name: FilePath) {
    _ = unsafe name.withPlatformString { unsafe unlinkat(descriptor.rawValue, $0, 0) }
  }

  /// Deletes an empty folder. Returns whether it was one.
  func removeFolder(_ name: FilePath) -> Bool {
    unsafe name.withPlatformString { unsafe unlinkat(descriptor.rawValue, $0, AT_REMOVEDIR) } == 0
  }

  static func temporaryName() -> FilePath {
    FilePath(".facecrop-\(getpid())-\(UInt32.random(in: .min ... .max)).tmp")
  }

  /// Calls `open`, again after a signal.
  private static func opened(_ open: () -> CInt) throws(Errno) -> FileDescriptor {
    while true {
      let result = open()
      if result >= 0 { return FileDescriptor(rawValue: result) }
      guard errno == EINTR else { throw Errno(rawValue: errno) }
    }
  }

  /// `O_PATH`, which works without permission to list the folder.
  private static let flags: CInt = 0o10000000 | O_DIRECTORY | O_CLOEXEC
  /// `O_TMPFILE`, which glibc hides from Swift in a macro.
  private static let unnamedFile: CInt = 0o20000000 | O_DIRECTORY
}
