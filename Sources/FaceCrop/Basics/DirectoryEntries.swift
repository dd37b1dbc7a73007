internal import Glibc
import SystemPackage

/// The entries of a folder, without `.` and `..`.
@safe struct DirectoryEntries: Sequence, IteratorProtocol {
  struct Entry {
    var name: String
    var kind: Kind
  }

  enum Kind {
    /// A regular file, or a symbolic link to one.
    case file
    case folder
    case other
  }

  private let stream: Stream
  private let hasAllNames: Bool

  /// An open directory, closed with the last reference.
  @safe private final class Stream {
    let pointer: OpaquePointer

    init(_ opened: OpaquePointer?) throws(Errno) {
      guard let opened = unsafe opened else { throw Errno(rawValue: errno) }
      unsafe pointer = opened
    }

    deinit {
      unsafe closedir(pointer)
    }
  }

  /// Opens a folder. Names that are not UTF-8 are skipped.
  init(_ path: FilePath) throws(Errno) {
    stream = try unsafe Stream(path.withPlatformString { unsafe opendir($0) })
    hasAllNames = false
  }

  /// Reads an open folder from its beginning, and closes `descriptor`. Names that are not UTF-8 have replacements.
  init(closing descriptor: FileDescriptor) throws(Errno) {
    do throws(Errno) {
      stream = try unsafe Stream(fdopendir(descriptor.rawValue))
    } catch {
      try? descriptor.close()
      throw error
    }
    hasAllNames = true
  }

  mutating func next() -> Entry? {
    while let entry = unsafe readdir(stream.pointer) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        let name = unsafe bytes.prefix { $0 != 0 }
        return unsafe String(validating: name, as: UTF8.self)
          ?? (hasAllNames ? String(decoding: name, as: UTF8.self) : nil)
      }
      guard let name, name != ".", name != ".." else { continue }
      return Entry(name: name, kind: unsafe kind(of: name, Int(entry.pointee.d_type)))
    }
    return nil
  }

  private func kind(of name: String, _ type: Int) -> Kind {
    if type == Int(DT_REG) { return .file }
    if type == Int(DT_DIR) { return .folder }
    guard type == Int(DT_LNK) || type == Int(DT_UNKNOWN) else { return .other }
    // Some file systems report no type. Links count only if they lead to files.
    var status = stat()
    let folder = unsafe dirfd(stream.pointer)
    if type == Int(DT_UNKNOWN), unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
      status.st_mode & S_IFMT == S_IFDIR
    {
      return .folder
    }
    return unsafe fstatat(folder, name, &status, 0) == 0 && status.st_mode & S_IFMT == S_IFREG ? .file : .other
  }
}
