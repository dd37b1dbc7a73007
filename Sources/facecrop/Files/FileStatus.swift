import Glibc
import SystemPackage

struct FileStatus {
  private let status: Stat

  /// Reads the status, following symbolic links; nil without a file.
  init?(_ path: FilePath) {
    try? self.init(of: path, followsLinks: true)
  }

  /// Reads the status of a path, or of a name in an open folder; throws the system's error if there is no file, or it
  /// is inaccessible.
  init(
    of name: FilePath, in folder: FileDescriptor = FileDescriptor(rawValue: AT_FDCWD), followsLinks: Bool
  ) throws(Errno) {
    status = try Stat(name, relativeTo: folder, flags: followsLinks ? [] : .symlinkNoFollow)
  }

  /// Reads the status of an open file.
  init(of descriptor: FileDescriptor) throws(Errno) { status = try Stat(descriptor) }

  /// Returns whether no file has a path. A file in a folder that cannot be searched, or on a disk with an error, may exist.
  static func isMissing(_ path: FilePath) -> Bool {
    do throws(Errno) {
      _ = try FileStatus(of: path, followsLinks: true)
      return false
    } catch {
      return error == .noSuchFileOrDirectory || error == .notDirectory
    }
  }

  var isFolder: Bool { status.type == .directory }
  var isRegular: Bool { status.type == .regular }
  var isSymbolicLink: Bool { status.type == .symbolicLink }
  var mode: CModeT { status.permissions.rawValue & 0o777 }
  var bytes: Int { Int(status.size) }
  /// The time of the last change of its content, in nanoseconds since 1970.
  var modified: Int { status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec }

  /// The kind of file in messages.
  var kindName: String {
    switch status.type {
    case .directory: "a folder"
    case .fifo: "a pipe"
    case .socket: "a socket"
    case .characterSpecial, .blockSpecial: "a device"
    case .regular: "a file"
    default: "a special file"
    }
  }

  /// An identity that all names of a file share.
  struct Identity: Hashable {
    let device: DeviceID
    let inode: Inode
  }

  var identity: Identity { Identity(device: status.deviceID, inode: status.inode) }

  /// The process's mask from proc(5), or a common default. umask(2) could read it only by setting it, for all threads.
  static var umask: CModeT {
    let status = (try? Input.readToEnd(of: "/proc/self/status")) ?? []
    return umask(in: status) ?? 0o022
  }

  /// Reads the mask from the text of proc(5).
  static func umask(in status: [UInt8]) -> CModeT? {
    let name = Array("Umask:".utf8)
    let line = status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: name) }
    let digits = line?.dropFirst(name.count).drop { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
    return digits.flatMap { CModeT(String(decoding: $0, as: UTF8.self), radix: 8) }.map { $0 & 0o777 }
  }
}

extension FileDescriptor {
  /// Writes to a file of proc(5), if the kernel allows it.
  static func tellKernel(_ text: String, in path: FilePath) {
    guard let file = try? open(path, .writeOnly, options: .closeOnExec) else { return }
    _ = try? file.closeAfter { try file.writeAll(text.utf8) }
  }

  /// Reads the next bytes; fewer only at the file's end.
  func bytes(upTo most: Int) throws -> [UInt8] {
    try unsafe [UInt8](unsafeUninitializedCapacity: most) { bytes, filled in
      while filled < most {
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(bytes)[filled...])
        let count = try unsafe read(into: rest)
        if count == 0 { return }
        filled += count
      }
    }
  }

  /// Waits until all of the file is on the disk. A signal is no error.
  func synchronize() throws(Errno) {
    while fsync(rawValue) != 0 {
      guard errno == EINTR else { throw Errno(rawValue: errno) }
    }
  }
}

struct FileVersion: Hashable, Sendable {
  var bytes: Int
  var modified: Int
}

extension FileVersion {
  init(_ status: FileStatus) { self.init(bytes: status.bytes, modified: status.modified) }

  /// The version of a regular file; nil for anything else.
  init?(_ path: FilePath) {
    guard let status = FileStatus(path), status.isRegular else { return nil }
    self.init(status)
  }
}
