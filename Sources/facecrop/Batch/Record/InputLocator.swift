import Glibc
import Synchronization
import SystemPackage

/// A locator that identifies inputs by their path relative to the manifest's folder. It is independent of spelling and
/// the current folder, and survives moving inputs and manifest together.
final class InputLocator: Sendable {
  /// The resolved path of the manifest's folder.
  private let origin: FilePath
  /// The resolved folders by the paths that named them.
  private let folders = Mutex<[FilePath: FilePath]>([:])

  /// Creates a locator. The manifest and its folder need not exist.
  init(manifest: FilePath) {
    origin = Self.resolved(manifest.folder)
  }

  /// Returns the path of a file or folder relative to the manifest's folder. A link keeps its own name.
  func location(of path: FilePath) -> FilePath {
    absolute(path).relative(to: origin)
  }

  /// Returns the path of a file or folder below another folder, both resolved; nil if it is elsewhere. A link keeps its
  /// own name.
  func path(of path: FilePath, below base: FilePath) -> FilePath? {
    var inner = absolute(path)
    return inner.removePrefix(folder(base)) ? inner : nil
  }

  private func absolute(_ path: FilePath) -> FilePath {
    guard let last = path.lastComponent, last.kind == .regular else { return folder(path.isEmpty ? "." : path) }
    return folder(path.folder).appending(last)
  }

  func path(of location: FilePath) -> FilePath { origin.pushing(location).lexicallyNormalized() }

  private func folder(_ path: FilePath) -> FilePath {
    if let known = folders.withLock({ $0[path] }) { return known }
    let resolved = Self.resolved(path)
    folders.withLock { $0[path] = resolved }
    return resolved
  }

  /// Returns the absolute path without links. For a missing folder it resolves the nearest existing parent.
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
