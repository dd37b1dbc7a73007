import Foundation
import Glibc
import SystemPackage

/// A file that is replaced as a whole or grows, in a folder of the review.
enum ReviewFile {
  /// Writes a file under a temporary name, and then gives it its name. The disk has it when this returns.
  static func write(_ bytes: [UInt8], to path: String) throws(ServiceError) {
    let temporary = path + ".new"
    _ = unsafe unlink(temporary)
    let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw fault(path, errno) }
    let descriptor = FileDescriptor(rawValue: file)
    do {
      try descriptor.closeAfter {
        try descriptor.writeAll(bytes)
        guard fsync(file) == 0 else { throw Errno(rawValue: errno) }
      }
    } catch {
      _ = unsafe unlink(temporary)
      throw fault(path, (error as? Errno)?.rawValue ?? EIO)
    }
    guard unsafe rename(temporary, path) == 0 else { throw fault(path, errno) }
  }

  /// Adds bytes to a file. The disk has them when this returns; if it throws, the file is as before.
  static func append(_ bytes: [UInt8], to path: String) throws(ServiceError) {
    let file = unsafe open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { throw fault(path, errno) }
    let size = lseek(file, 0, SEEK_END)
    let descriptor = FileDescriptor(rawValue: file)
    do {
      try descriptor.closeAfter {
        do {
          try descriptor.writeAll(bytes)
          guard fsync(file) == 0 else { throw Errno(rawValue: errno) }
        } catch {
          _ = ftruncate(file, size)
          throw error
        }
      }
    } catch {
      throw fault(path, (error as? Errno)?.rawValue ?? EIO)
    }
  }

  private static func fault(_ path: String, _ code: CInt) -> ServiceError {
    .internalFault("\(path) cannot be written: \(Errno(rawValue: code))")
  }
}

/// A folder that this process has alone, among all reviews.
final class FolderLock: Sendable {
  private let descriptor: CInt

  /// Takes the folder; nil if another review has it.
  init?(_ folder: String) {
    descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }
}
