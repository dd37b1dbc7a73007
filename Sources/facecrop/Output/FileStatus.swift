import Glibc
import SystemPackage

/// What the system knows of a file.
struct FileStatus {
  private let status: stat

  /// Nil when there is none. Follows symbolic links.
  init?(_ path: FilePath) {
    try? self.init(of: path, followsLinks: true)
  }

  /// - Throws: what the system says where there is none, or none that may be seen.
  init(of path: FilePath, followsLinks: Bool) throws(Errno) {
    var status = stat()
    let result = unsafe path.withPlatformString { path in
      unsafe followsLinks ? stat(path, &status) : lstat(path, &status)
    }
    guard result == 0 else { throw Errno(rawValue: errno) }
    self.status = status
  }

  /// Of an open file.
  init(of descriptor: FileDescriptor) throws(Errno) {
    var status = stat()
    guard unsafe fstat(descriptor.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
    self.status = status
  }

  var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
  var isRegular: Bool { status.st_mode & S_IFMT == S_IFREG }
  var isSymbolicLink: Bool { status.st_mode & S_IFMT == S_IFLNK }
  var mode: CModeT { status.st_mode & 0o777 }
  var bytes: Int { Int(status.st_size) }
  /// When its bytes were changed last, in nanoseconds since 1970.
  var modified: Int { status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec }

  /// What files that are not regular are called.
  var kindName: String {
    switch status.st_mode & S_IFMT {
    case S_IFDIR: "a folder"
    case S_IFIFO: "a pipe"
    case S_IFSOCK: "a socket"
    case S_IFCHR, S_IFBLK: "a device"
    case S_IFREG: "a file"
    default: "no regular file"
    }
  }

  /// What is the same for all names of one file.
  struct Identity: Hashable {
    let device: dev_t
    let inode: ino_t
  }

  var identity: Identity { Identity(device: status.st_dev, inode: status.st_ino) }

  func isSameFile(as other: FileStatus) -> Bool { identity == other.identity }

  /// The process's mask; it can only be read by setting it.
  static var umask: CModeT {
    let mask = Glibc.umask(0)
    _ = Glibc.umask(mask)
    return mask
  }
}
