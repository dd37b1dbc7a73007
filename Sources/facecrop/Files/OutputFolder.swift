import Glibc
import Synchronization
import SystemPackage

/// The folder of a run's outputs. Everything is written below it. Names that lead out are refused, and symbolic links
/// below the folder are never followed, even if they appear during the run. The folder itself may be a link.
final class OutputFolder: Sendable {
  let path: FilePath
  private let folder: OpenFolder
  /// The folders below that were created, relative to this one.
  private let created = Mutex<Set<FilePath>>([])

  /// Opens the folder, and creates it if missing.
  init(_ path: FilePath) throws(FileError) {
    try Folders.make(path)
    self.path = path
    folder = try FileError.wrap(path.string) { try OpenFolder(path) }
  }

  /// Opens an output by its path relative to the folder, and creates its subfolders.
  func file(_ name: FilePath, gate: WriteGate) throws(FileError) -> OutputFile {
    try OutputFile(Self.fileName(name), in: inner(name), shown: path.pushing(name), gate: gate)
  }

  /// Creates a folder below the folder, unless it exists.
  func makeFolder(_ name: FilePath) throws(FileError) {
    _ = try inner(name.appending("file"))
  }

  /// Links a file to another name below the folder. Returns false if the name exists, or the file system has no links.
  func link(_ source: FilePath, as name: FilePath) throws(FileError) -> Bool {
    let inner = try inner(name)
    return (try? inner.link(source, as: Self.fileName(name))) == true
  }

  /// Returns the status of a name below the folder, without following links; nil if absent.
  func status(of name: FilePath) throws(FileError) -> FileStatus? {
    try? inner(name, creates: false).status(of: Self.fileName(name), followsLinks: false)
  }

  /// Deletes a name below the folder, and the folders above it that are empty then.
  func remove(_ name: FilePath) throws(FileError) {
    try inner(name, creates: false).remove(Self.fileName(name))
    var parent = name.removingLastComponent()
    while !parent.isEmpty, removeFolder(parent) { parent.removeLastComponent() }
  }

  /// Deletes the created folders that are empty, because the images for them have no output. Nothing may be writing.
  func removeEmptyFolders() {
    let folders = created.withLock { $0 }
    for folder in folders.sorted(by: { $0.components.count > $1.components.count }) { _ = removeFolder(folder) }
  }

  private func removeFolder(_ name: FilePath) -> Bool {
    (try? inner(name, creates: false).removeFolder(Self.fileName(name))) ?? false
  }

  /// Returns whether a name stays below the folder.
  static func isInside(_ name: FilePath) -> Bool {
    name.root == nil && !name.isEmpty && name.components.allSatisfy { $0.kind == .regular }
  }

  private static func fileName(_ name: FilePath) -> FilePath { FilePath(root: nil, name.components.suffix(1)) }

  /// Opens the folder of a name, and creates missing folders if it may.
  private func inner(_ name: FilePath, creates: Bool = true) throws(FileError) -> OpenFolder {
    guard Self.isInside(name) else {
      throw FileError(
        path.pushing(name).string, "the output would lie outside the output folder (choose other names)", kind: "name")
    }
    var way = path
    var inner = try FileError.wrap(path.string) { try folder.copy() }
    var relative: FilePath = ""
    for component in name.components.dropLast() {
      way.append(component)
      relative.append(component)
      let step = FilePath(root: nil, [component])
      do throws(Errno) {
        let isNew = creates ? try inner.makeFolder(step) : false
        inner = try inner.folder(step)
        if isNew { created.withLock { _ = $0.insert(relative) } }
      } catch {
        guard let status = try? inner.status(of: step, followsLinks: false), !status.isFolder else {
          throw .writing(way.string, error)
        }
        guard status.isSymbolicLink else {
          throw FileError(way.string, "the path is \(status.kindName), not a folder (choose another name or folder)")
        }
        throw FileError(
          way.string,
          "symbolic links are not followed below the output folder (replace it with a folder, or name another output folder)"
        )
      }
    }
    return inner
  }
}

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
