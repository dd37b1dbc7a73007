import FaceCrop
import SystemPackage

/// An image's file in memory, so that other programs' changes do not affect a run.
struct PictureFile: Sendable {
  var version: FileVersion
  var bytes: [UInt8]

  /// An open input that is a regular file.
  struct Opened: ~Copyable {
    let version: FileVersion
    private let descriptor: FileDescriptor

    /// Opens the file without waiting for the other end of a pipe.
    init(_ path: FilePath, limits: Limits) throws(Outcome.Obstacle) {
      (descriptor, version) = try Self.open(path, limits)
    }

    private static func open(
      _ path: FilePath, _ limits: Limits
    ) throws(Outcome.Obstacle) -> (FileDescriptor, FileVersion) {
      let descriptor: FileDescriptor
      do {
        descriptor = try FileDescriptor.open(path, .readOnly, options: [.nonBlocking, .closeOnExec])
      } catch {
        throw .unreadable(error)
      }
      do throws(Outcome.Obstacle) {
        return (descriptor, try version(of: descriptor, limits))
      } catch {
        try? descriptor.close()
        throw error
      }
    }

    private static func version(
      of descriptor: FileDescriptor, _ limits: Limits
    ) throws(Outcome.Obstacle) -> FileVersion {
      let status: FileStatus
      do {
        status = try FileStatus(of: descriptor)
      } catch {
        throw .unreadable(error)
      }
      guard status.isRegular else { throw .failed("unreadable", "the input is \(status.kindName), not a regular file") }
      guard status.bytes <= limits.fileBytes else {
        throw Outcome.Obstacle(.overLimit(.fileBytes, actual: status.bytes, allowed: limits.fileBytes))
      }
      return FileVersion(status)
    }

    deinit {
      try? descriptor.close()
    }

    /// Reads the whole file, and fails if it changed since opening.
    func read() throws(Outcome.Obstacle) -> PictureFile {
      do {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(version.bytes)
        let chunk = 1 << 20
        while bytes.count < version.bytes {
          let wanted = min(chunk, version.bytes - bytes.count)
          let part = try unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
            count = try unsafe descriptor.read(into: UnsafeMutableRawBufferPointer(buffer))
          }
          if part.isEmpty { break }
          bytes += part
        }
        guard bytes.count == version.bytes, FileVersion(try FileStatus(of: descriptor)) == version else {
          throw Outcome.Obstacle.failed(
            "changed", "another program changed the file during reading (retry)", isRetryable: true,
            isTransient: true)
        }
        return PictureFile(version: version, bytes: bytes)
      } catch let error as Outcome.Obstacle {
        throw error
      } catch {
        throw .unreadable(error)
      }
    }
  }
}

extension Outcome.Obstacle {
  /// Returns the obstacle of an unreadable file. A missing file stays missing, but disk, server, or machine errors may
  /// pass. Permissions can change without a change of the file.
  fileprivate static func unreadable(_ error: any Error) -> Self {
    let lasting: [Errno] = [
      .noSuchFileOrDirectory, .notDirectory, .isDirectory, .permissionDenied, .notPermitted, .tooManySymbolicLinkLevels,
      .fileNameTooLong, .noSuchAddressOrDevice, .invalidArgument,
    ]
    let isLasting = (error as? Errno).map(lasting.contains) ?? false
    let isForbidden = [.permissionDenied, .notPermitted].contains(error as? Errno)
    return .failed(
      "unreadable", "the file cannot be read: \(error)", isRetryable: !isLasting, isTransient: !isLasting || isForbidden
    )
  }
}
