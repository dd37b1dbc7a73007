import SystemPackage

/// An asset with its source and version.
struct ResolvedAsset: Sendable {
  var version: AssetVersion
  /// The source; nil for a remote asset.
  var source: ImageSource?

  /// Finds the source and version. Throws ``ImageRequestError/notFound(_:)``, ``ImageRequestError/accessDenied(_:)``,
  /// or the error of an unreadable file.
  init(_ asset: ImageAsset) throws(ImageRequestError) {
    version = AssetVersion(id: asset.id, page: asset.page)
    switch asset.location {
    case .bytes(let bytes): source = .bytes(bytes)
    case .remote: source = nil
    case .file(let path): (version.file, source) = (try FileIdentity(path), .file(path))
    }
    source?.page = asset.page
  }
}

/// The identity of an image's pixels.
struct AssetVersion: Hashable, Sendable {
  var id: ImageAsset.ID
  var page: Int?
  /// The file's identity; nil for bytes.
  var file: FileIdentity?
}

/// The identity of a file's content. It changes if the file is replaced or written.
struct FileIdentity: Hashable, Sendable {
  var device: UInt64
  var inode: UInt64
  var bytes: Int
  /// The time of the last write since 1970.
  var seconds, nanoseconds: Int
  /// The time of the last change. A new file may get the number of a removed one, and any time of writing.
  var changedSeconds, changedNanoseconds: Int

  /// Creates the identity of a readable file.
  init(_ path: FilePath) throws(ImageRequestError) {
    let status: Stat
    do {
      // Opening without blocking avoids waiting for the other end of a pipe.
      let descriptor = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
      defer { try? descriptor.close() }
      status = try Stat(descriptor)
    } catch {
      throw ImageRequestError(error as? Errno ?? .ioError, path)
    }
    device = UInt64(status.deviceID.rawValue)
    inode = UInt64(status.inode.rawValue)
    bytes = Int(status.size)
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    (changedSeconds, changedNanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
  }
}

extension ImageRequestError {
  init(_ error: Errno, _ path: FilePath) {
    self =
      switch error {
      case .noSuchFileOrDirectory, .notDirectory: .notFound(path.string)
      case .permissionDenied, .notPermitted: .accessDenied(path.string)
      default: .image(.unreadable("\(error)"))
      }
  }
}
