import Glibc
import SystemPackage

/// What the system knows of a file.
struct FileStatus {
  private let status: stat

  /// Nil when there is none. Follows symbolic links.
  init?(_ path: FilePath) {
    var status = stat()
    guard unsafe path.withPlatformString({ unsafe stat($0, &status) }) == 0 else { return nil }
    self.status = status
  }

  var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
  var isRegular: Bool { status.st_mode & S_IFMT == S_IFREG }
  var mode: CModeT { status.st_mode & 0o777 }

  func isSameFile(as other: FileStatus) -> Bool {
    status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino
  }

  /// The process's mask; it can only be read by setting it.
  static var umask: CModeT {
    let mask = Glibc.umask(0)
    _ = Glibc.umask(mask)
    return mask
  }
}
