import SystemPackage

/// The folder that a run's outputs go to. All that is written is below it: names that lead out are refused, and on the way from
/// the folder down no symbolic link is followed, whoever has put it there and whenever. The folder itself may be one.
final class OutputFolder: Sendable {
  let path: FilePath
  private let folder: OpenFolder

  /// Makes it if need be.
  init(_ path: FilePath) throws(FileError) {
    try Folders.make(path)
    self.path = path
    do throws(Errno) {
      folder = try OpenFolder(path)
    } catch {
      throw .writing(path.string, error)
    }
  }

  /// An output, and the folders that it lies in.
  ///
  /// - Parameters:
  ///   - name: below the folder.
  ///   - gate: knows the files that must stay.
  func file(_ name: FilePath, gate: WriteGate) throws(FileError) -> OutputFile {
    try OutputFile(Self.fileName(name), in: inner(name), shown: path.pushing(name), gate: gate)
  }

  /// Gives a file another name below the folder, where nothing has that name.
  ///
  /// - Returns: false where something has the name, or the file system cannot.
  func link(_ source: FilePath, as name: FilePath) throws(FileError) -> Bool {
    let inner = try inner(name)
    return (try? inner.link(source, as: Self.fileName(name))) == true
  }

  /// Returns the status of what has a name below the folder, no link followed; nil for nothing.
  func status(of name: FilePath) throws(FileError) -> FileStatus? {
    try? inner(name).status(of: Self.fileName(name), followsLinks: false)
  }

  /// Takes a file's name below the folder away.
  func remove(_ name: FilePath) throws(FileError) {
    try inner(name).remove(Self.fileName(name))
  }

  /// Whether a name leads to somewhere below the folder.
  static func isInside(_ name: FilePath) -> Bool {
    name.root == nil && !name.isEmpty && name.components.allSatisfy { $0.kind == .regular }
  }

  private static func fileName(_ name: FilePath) -> FilePath { FilePath(root: nil, name.components.suffix(1)) }

  /// The folder of a name, made with those above it.
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
      guard status.isSymbolicLink else { throw FileError(shown, "the path is \(status.kindName), not a folder") }
      throw FileError(
        shown,
        "symbolic links are not followed below the output folder (replace it with a folder, or name another output folder)"
      )
    }
  }
}
