import SystemPackage

/// The folder of a run's outputs. Everything is written below it. Names that lead out are refused, and symbolic links
/// below the folder are never followed, even if they appear during the run. The folder itself may be a link.
final class OutputFolder: Sendable {
  let path: FilePath
  private let folder: OpenFolder

  /// Opens the folder, and creates it if missing.
  init(_ path: FilePath) throws(FileError) {
    try Folders.make(path)
    self.path = path
    do throws(Errno) {
      folder = try OpenFolder(path)
    } catch {
      throw .writing(path.string, error)
    }
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
    try? inner(name).status(of: Self.fileName(name), followsLinks: false)
  }

  /// Deletes a name below the folder, and the folders above it that are empty then.
  func remove(_ name: FilePath) throws(FileError) {
    try inner(name).remove(Self.fileName(name))
    var parent = name.removingLastComponent()
    while !parent.isEmpty, try inner(parent).removeFolder(Self.fileName(parent)) { parent.removeLastComponent() }
  }

  /// Returns whether a name stays below the folder.
  static func isInside(_ name: FilePath) -> Bool {
    name.root == nil && !name.isEmpty && name.components.allSatisfy { $0.kind == .regular }
  }

  private static func fileName(_ name: FilePath) -> FilePath { FilePath(root: nil, name.components.suffix(1)) }

  /// Opens the folder of a name, and creates missing folders.
  private func inner(_ name: FilePath) throws(FileError) -> OpenFolder {
    guard Self.isInside(name) else {
      throw FileError(
        path.pushing(name).string, "the output would lie outside the output folder (choose other names)", kind: "name")
    }
    var way = path
    var inner: OpenFolder
    do throws(Errno) {
      inner = try folder.copy()
    } catch {
      throw .writing(path.string, error)
    }
    for component in name.components.dropLast() {
      way.append(component)
      inner = try Self.step(into: FilePath(root: nil, [component]), of: inner, shown: way.string)
    }
    return inner
  }

  private static func step(
    into name: FilePath, of folder: borrowing OpenFolder, shown: String
  ) throws(FileError) -> OpenFolder {
    do throws(Errno) {
      try folder.makeFolder(name)
      return try folder.folder(name)
    } catch {
      guard let status = try? folder.status(of: name, followsLinks: false), !status.isFolder else {
        throw .writing(shown, error)
      }
      guard status.isSymbolicLink else {
        throw FileError(shown, "the path is \(status.kindName), not a folder (choose another name or folder)")
      }
      throw FileError(
        shown,
        "symbolic links are not followed below the output folder (replace it with a folder, or name another output folder)"
      )
    }
  }
}
