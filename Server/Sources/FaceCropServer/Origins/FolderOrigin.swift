import FaceCrop
import Glibc
import NIOPosix
import SystemPackage

/// The images of a folder, by their relative paths. A path cannot leave the folder: each part is opened in the folder
/// before it, without following links. Hidden files are excluded.
struct FolderOrigin: Sendable {
  let root: String
  /// Upper bound of a file in bytes.
  let limit: Int

  func find(_ path: String) async throws(ServiceError) -> Origins.ResolvedImage {
    let file = try await offPool { () throws(ServiceError) in try OpenedFile(path, in: root) }
    guard file.bytes <= limit else {
      throw .image(.image(.overLimit(.fileBytes, actual: file.bytes, allowed: limit)))
    }
    return Origins.ResolvedImage(version: file.version, isCertain: true) { (lease) async throws(ServiceError) in
      try lease.extend(by: file.bytes)
      return Origins.Image(bytes: try await offPool { () throws(ServiceError) in try file.read() })
    }
  }

  /// Runs `body` on a thread that may wait for a disk.
  func offPool<Value: Sendable>(
    _ body: @escaping @Sendable () throws(ServiceError) -> Value
  ) async throws(ServiceError) -> Value {
    do {
      return try await NIOThreadPool.singleton.runIfActive { try body() }
    } catch is CancellationError {
      throw .hungUp
    } catch {
      throw error as? ServiceError ?? .internalFault("\(error)")
    }
  }
}

/// A regular file that stays open for reading while it is in use.
final class OpenedFile: Sendable {
  let bytes: Int
  /// Device and inode, size, and times of the last write and the last change.
  let version: String
  private let descriptor: FileDescriptor

  init(_ path: String, in root: String) throws(ServiceError) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    for part in parts { if let fault = Self.fault(of: part) { throw .notServed(fault) } }
    let folder = try Self.openFolder(parts.dropLast(), in: root)
    defer { close(folder) }
    let file = try Self.open(parts.last!, in: folder, O_NOFOLLOW | O_NONBLOCK)
    descriptor = FileDescriptor(rawValue: file)
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(file)
      throw .notServed("'\(ImageName.withoutSecrets(parts.last!))' is not a regular file")
    }
    bytes = Int(status.st_size)
    // A new file may get the number of a removed one, and any time of writing, but not the time of the change.
    let times = [status.st_mtim, status.st_ctim].map { "\($0.tv_sec).\($0.tv_nsec)" }.joined(separator: ":")
    version = "file:\(status.st_dev):\(status.st_ino):\(status.st_size):\(times)"
  }

  deinit { try? descriptor.close() }

  /// Returns why a part of a path cannot be served, whether it exists or not; nil if it can.
  private static func fault(of part: String) -> String? {
    if part.isEmpty { return "a part of the path is empty" }
    if part.hasPrefix(".") { return "'\(ImageName.withoutSecrets(part))' is hidden, because it begins with a period" }
    if part.utf8.count > 255 { return "a part of the path is longer than 255 bytes" }
    return part.utf8.contains(0) ? "a part of the path has a zero byte" : nil
  }

  /// Opens a folder below `root`, one part after the other, without following links. The caller closes it.
  static func openFolder(_ parts: some Sequence<String>, in root: String) throws(ServiceError) -> CInt {
    var folder = try open(root, in: AT_FDCWD, O_DIRECTORY)
    for part in parts {
      let parent = folder
      defer { close(parent) }
      folder = try open(part, in: parent, O_DIRECTORY | O_NOFOLLOW)
    }
    return folder
  }

  private static func open(_ name: String, in folder: CInt, _ flags: CInt) throws(ServiceError) -> CInt {
    let descriptor = unsafe openat(folder, name, O_RDONLY | O_CLOEXEC | flags)
    guard descriptor >= 0 else {
      // Unreadable files get the same response as missing ones. Only the log tells them apart.
      let (code, shown) = (errno, ImageName.withoutSecrets(name))
      switch code {
      case ENOENT: throw .notFound
      case ELOOP, ENOTDIR:
        throw .notServed(
          isLink(name, in: folder)
            ? "'\(shown)' is a symbolic link, and the server follows none" : "'\(shown)' is not a folder")
      case ENXIO: throw .notServed("'\(shown)' is not a regular file")
      case EACCES, EPERM, ENAMETOOLONG: throw .notServed("'\(shown)' cannot be opened: \(Errno(rawValue: code))")
      default: throw ServiceError("the folder cannot be read", code)
      }
    }
    return descriptor
  }

  private static func isLink(_ name: String, in folder: CInt) -> Bool {
    var status = stat()
    return unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  func read() throws(ServiceError) -> [UInt8] { try read(at: 0, atMost: bytes) }

  /// Reads a part, which is shorter at the file's end.
  func read(at offset: Int, atMost length: Int) throws(ServiceError) -> [UInt8] {
    do {
      return try unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
        while count < buffer.count {
          let part = try unsafe descriptor.read(
            fromAbsoluteOffset: Int64(offset + count),
            into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[count...])))
          if part == 0 { break }
          count += part
        }
      }
    } catch {
      throw .internalFault("a file in the folder cannot be read: \(error)")
    }
  }
}
