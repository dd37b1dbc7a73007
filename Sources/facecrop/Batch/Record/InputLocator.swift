import Glibc
import Synchronization
import SystemPackage

/// Tells inputs apart by where they are, relative to the manifest's folder: however a path is spelled, from whatever folder it is named,
/// and after inputs and manifest have moved together.
final class InputLocator: Sendable {
  /// The manifest's folder, as the system has it.
  private let origin: FilePath
  /// Folders by the paths that they were named by.
  private let folders = Mutex<[FilePath: FilePath]>([:])

  /// - Parameter manifest: The manifest's path; it and its folder need not exist.
  init(manifest: FilePath) {
    origin = Self.resolved(manifest.folder)
  }

  /// Returns the way from the manifest's folder to a file or a folder. A link keeps its own name.
  func location(of path: FilePath) -> FilePath {
    guard let last = path.lastComponent, last.kind == .regular else {
      return way(to: folder(path.isEmpty ? "." : path))
    }
    return way(to: folder(path.folder).appending(last))
  }

  /// Returns the path of a location.
  func path(of location: FilePath) -> FilePath { origin.pushing(location).lexicallyNormalized() }

  private func folder(_ path: FilePath) -> FilePath {
    if let known = folders.withLock({ $0[path] }) { return known }
    let resolved = Self.resolved(path)
    folders.withLock { $0[path] = resolved }
    return resolved
  }

  private func way(to path: FilePath) -> FilePath {
    let (from, to) = (Array(origin.components), Array(path.components))
    let common = zip(from, to).prefix { $0 == $1 }.count
    let up = FilePath(root: nil, Array(repeating: FilePath.Component(".."), count: from.count - common))
    return up.pushing(FilePath(root: nil, to[common...]))
  }

  /// The absolute path without links; of a folder that does not exist, that of the one above it and the names below.
  private static func resolved(_ path: FilePath) -> FilePath {
    let found = unsafe path.withPlatformString { path -> FilePath? in
      guard let real = unsafe realpath(path, nil) else { return nil }
      defer { unsafe free(real) }
      return unsafe FilePath(platformString: real)
    }
    if let found { return found }
    guard let last = path.lastComponent, path.folder != path else { return path.lexicallyNormalized() }
    return resolved(path.folder).appending(last).lexicallyNormalized()
  }
}
