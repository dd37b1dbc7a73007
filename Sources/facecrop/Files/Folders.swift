import Glibc
import SystemPackage

enum Folders {
  /// Creates a folder and its parents, unless they exist.
  static func make(_ path: FilePath) throws(FileError) {
    if let status = FileStatus(path) {
      guard status.isFolder else {
        throw FileError(path.string, "the path is \(status.kindName), not a folder (name another folder)")
      }
      return
    }
    if path.folder != path, FileStatus(path.folder) == nil { try make(path.folder) }
    let result = unsafe path.withPlatformString { unsafe mkdir($0, 0o777) }
    // Another job may have created it at the same time.
    guard result == 0 || (errno == EEXIST && FileStatus(path)?.isFolder == true) else {
      throw FileError.writing(path.string, Errno(rawValue: errno))
    }
  }
}
