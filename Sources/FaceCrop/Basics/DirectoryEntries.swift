internal import Glibc
import SystemPackage

/// The entries of a folder, without `.` and `..`. Names that are not UTF-8 are skipped.
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

  /// An open directory, closed with the last reference.
  @safe private final class Stream {
    let pointer: OpaquePointer

    init(_ path: FilePath) throws(Errno) {
      guard let opened = unsafe path.withPlatformString({ unsafe opendir($0) }) else { throw Errno(rawValue: errno) }
      unsafe pointer = opened
    }

    deinit {
      unsafe closedir(pointer)
    }
  }

  init(_ path: FilePath) throws(Errno) {
    stream = try Stream(path)
  }

  mutating func next() -> Entry? {
    while let entry = unsafe readdir(stream.pointer) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
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
