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

  /// The status of what has a name in an open folder.
  init(of name: FilePath, in folder: FileDescriptor, followsLinks: Bool) throws(Errno) {
    var status = stat()
    let result = unsafe name.withPlatformString { name in
      unsafe fstatat(folder.rawValue, name, &status, followsLinks ? 0 : AT_SYMLINK_NOFOLLOW)
    }
    guard result == 0 else { throw Errno(rawValue: errno) }
    self.status = status
  }

  /// The status of an open file.
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
    default: "a special file"
    }
  }

  /// What is the same for all names of one file.
  struct Identity: Hashable {
    let device: dev_t
    let inode: ino_t
  }

  var identity: Identity { Identity(device: status.st_dev, inode: status.st_ino) }

  func isSameFile(as other: FileStatus) -> Bool { identity == other.identity }

  /// The process's mask, as proc(5) has it: umask(2) could only read it by setting it, for all threads. Where the system does not
  /// say, the usual one.
  static var umask: CModeT {
    let status = (try? Input.readToEnd(of: "/proc/self/status")) ?? []
    return umask(in: status) ?? 0o022
  }

  /// - Parameter status: text of proc(5).
  static func umask(in status: [UInt8]) -> CModeT? {
    let name = Array("Umask:".utf8)
    let line = status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: name) }
    let digits = line?.dropFirst(name.count).drop { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
    return digits.flatMap { CModeT(String(decoding: $0, as: UTF8.self), radix: 8) }.map { $0 & 0o777 }
  }
}

extension FileDescriptor {
  /// Waits until the disk has all of the file; a signal meanwhile is no error.
  func synchronize() throws(Errno) {
    while fsync(rawValue) != 0 {
      guard errno == EINTR else { throw Errno(rawValue: errno) }
    }
  }
}
