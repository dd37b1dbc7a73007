import Glibc
import SystemPackage

/// A folder that is held open: what is done in it is done there, whatever becomes of the names that led to it. Names are of files
/// directly in it.
struct OpenFolder: ~Copyable {
  private let descriptor: FileDescriptor

  /// Follows symbolic links.
  init(_ path: FilePath) throws(Errno) {
    descriptor = try Self.opened { unsafe path.withPlatformString { unsafe Glibc.open($0, Self.flags) } }
  }

  private init(_ descriptor: FileDescriptor) {
    self.descriptor = descriptor
  }

  deinit {
    try? descriptor.close()
  }

  /// The same once more.
  func copy() throws(Errno) -> OpenFolder {
    OpenFolder(try Self.opened { fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 0) })
  }

  /// A folder in it, which a symbolic link is not.
  func folder(_ name: FilePath) throws(Errno) -> OpenFolder {
    OpenFolder(
      try Self.opened {
        unsafe name.withPlatformString { unsafe openat(descriptor.rawValue, $0, Self.flags | O_NOFOLLOW) }
      })
  }

  /// Makes a folder; there may be something of that name already.
  func makeFolder(_ name: FilePath) throws(Errno) {
    let result = unsafe name.withPlatformString { unsafe mkdirat(descriptor.rawValue, $0, 0o777) }
    let error = Errno(rawValue: errno)
    if result != 0, error != .fileExists { throw error }
  }

  /// - Throws: what the system says where there is none, or none that may be seen.
  func status(of name: FilePath, followsLinks: Bool) throws(Errno) -> FileStatus {
    try FileStatus(of: name, in: descriptor, followsLinks: followsLinks)
  }

  // MARK: Files

  /// A new file that no one sees.
  func openUnnamed() throws(Errno) -> FileDescriptor {
    try Self.opened { unsafe openat(descriptor.rawValue, ".", Self.unnamedFile | O_WRONLY | O_CLOEXEC, 0o666) }
  }

  /// A new file that only its owner may read and write.
  func openNew(_ name: FilePath) throws(Errno) -> FileDescriptor {
    try Self.opened {
      unsafe name.withPlatformString {
        unsafe openat(descriptor.rawValue, $0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      }
    }
  }

  /// Gives a file a name here; false when there is something of that name already.
  ///
  /// - Parameter source: of the file, wherever that is; a symbolic link is followed.
  func link(_ source: FilePath, as name: FilePath) throws(Errno) -> Bool {
    let result = unsafe source.withPlatformString { from in
      unsafe name.withPlatformString { to in
        unsafe linkat(AT_FDCWD, from, descriptor.rawValue, to, AT_SYMLINK_FOLLOW)
      }
    }
    if result == 0 { return true }
    let error = Errno(rawValue: errno)
    if error == .fileExists { return false }
    throw error
  }

  /// Renames a file, in the place of whatever has the new name.
  func rename(_ name: FilePath, to new: FilePath) throws(Errno) {
    let result = unsafe name.withPlatformString { from in
      unsafe new.withPlatformString { to in unsafe renameat(descriptor.rawValue, from, descriptor.rawValue, to) }
    }
    if result != 0 { throw Errno(rawValue: errno) }
  }

  /// Renames a file; throws `Errno.fileExists` where something has the new name.
  func renameNew(_ name: FilePath, to new: FilePath) throws(Errno) {
    let result = unsafe name.withPlatformString { from in
      unsafe new.withPlatformString { to in
        unsafe linkat(descriptor.rawValue, from, descriptor.rawValue, to, 0)
      }
    }
    if result != 0 { throw Errno(rawValue: errno) }
    remove(name)
  }

  /// Whether it is there or not.
  func remove(_ name: FilePath) {
    _ = unsafe name.withPlatformString { unsafe unlinkat(descriptor.rawValue, $0, 0) }
  }

  /// A name for a file that is there for a moment.
  static func temporaryName() -> FilePath {
    FilePath(".facecrop-\(getpid())-\(UInt32.random(in: .min ... .max)).tmp")
  }

  /// What `open` gives; a signal meanwhile is no error.
  private static func opened(_ open: () -> CInt) throws(Errno) -> FileDescriptor {
    while true {
      let result = open()
      if result >= 0 { return FileDescriptor(rawValue: result) }
      guard errno == EINTR else { throw Errno(rawValue: errno) }
    }
  }

  /// `O_PATH`, for which no one needs to be allowed to list it.
  private static let flags: CInt = 0o10000000 | O_DIRECTORY | O_CLOEXEC
  /// `O_TMPFILE`, which glibc hides from Swift in a macro.
  private static let unnamedFile: CInt = 0o20000000 | O_DIRECTORY
}
