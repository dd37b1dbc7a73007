import SystemPackage

internal import Glibc

/// An asset whose bytes can be had, and which version of it they are.
struct ResolvedAsset: Sendable {
  var version: AssetVersion
  /// Nil for one that is elsewhere.
  var source: ImageSource?

  /// - Throws: ``ImageRequestError/notFound(_:)``, ``ImageRequestError/accessDenied(_:)`` or an unreadable picture.
  init(_ asset: ImageAsset) throws(ImageRequestError) {
    switch asset.location {
    case .bytes(let bytes): (version, source) = (AssetVersion(id: asset.id), .bytes(bytes))
    case .remote: (version, source) = (AssetVersion(id: asset.id), nil)
    case .file(let path):
      (version, source) = (AssetVersion(id: asset.id, file: try FileIdentity(path)), .file(path))
    }
  }
}

/// What a picture's pixels are known by.
struct AssetVersion: Hashable, Sendable {
  var id: ImageAsset.ID
  /// Nil for bytes.
  var file: FileIdentity?
}

/// A file as it is: another one, or one that was written to, has another.
struct FileIdentity: Hashable, Sendable {
  var device: UInt64
  var inode: UInt64
  var bytes: Int
  /// When it was last changed, since 1970.
  var seconds: Int
  var nanoseconds: Int

  /// The identity of a file that can be read.
  init(_ path: FilePath) throws(ImageRequestError) {
    var status = stat()
    do {
      // Never waits for a pipe's other end.
      let descriptor = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
      defer { try? descriptor.close() }
      guard unsafe fstat(descriptor.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
    } catch {
      throw ImageRequestError(error as? Errno ?? .ioError, path)
    }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    bytes = Int(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}

extension ImageRequestError {
  init(_ error: Errno, _ path: FilePath) {
    self =
      switch error {
      case .noSuchFileOrDirectory, .notDirectory: .notFound(path.string)
      case .permissionDenied, .notPermitted: .accessDenied(path.string)
      default: .picture(.unreadable("\(error)"))
      }
  }
}
