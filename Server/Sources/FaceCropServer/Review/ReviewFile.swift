import Glibc
import SystemPackage

/// A file that is replaced as a whole or grows, in a folder of the review.
enum ReviewFile {
  /// Writes a file under a temporary name, and then gives it its name. The disk has it when this returns.
  static func write(_ bytes: [UInt8], to path: String) throws(ServiceError) {
    let temporary = path + ".new"
    try wrap(path) {
      _ = unsafe unlink(temporary)
      let file = try FileDescriptor.open(
        FilePath(temporary), .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
        permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
      do {
        try file.closeAfter { try save(bytes, in: file) }
        guard unsafe rename(temporary, path) == 0 else { throw Errno(rawValue: errno) }
      } catch {
        _ = unsafe unlink(temporary)
        throw error
      }
    }
  }

  /// Adds bytes to a file. The disk has them when this returns; if it throws, the file is as before.
  static func append(_ bytes: [UInt8], to path: String) throws(ServiceError) {
    try wrap(path) {
      let file = try FileDescriptor.open(FilePath(path), .writeOnly, options: [.append, .noFollow, .closeOnExec])
      try file.closeAfter {
        let size = try file.seek(offset: 0, from: .end)
        do {
          try save(bytes, in: file)
        } catch {
          _ = ftruncate(file.rawValue, Int(size))
          throw error
        }
      }
    }
  }

  private static func save(_ bytes: [UInt8], in file: FileDescriptor) throws {
    try file.writeAll(bytes)
    guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
  }

  private static func wrap(_ path: String, _ body: () throws -> Void) throws(ServiceError) {
    do { try body() } catch { throw .internalFault("\(path) cannot be written: \(error)") }
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

  deinit { if descriptor >= 0 { close(descriptor) } }
}
