import FaceCrop
import SystemPackage

/// An image's file in memory, so that other programs' changes do not affect a run.
struct PictureFile: Sendable {
  var version: FileVersion
  var bytes: [UInt8]
  /// The page of a TIFF to read; nil for the first full one.
  var page: Int?

  var source: ImageSource { .bytes(bytes).at(page) }

  /// An open input that is a regular file.
  struct Opened: ~Copyable {
    let version: FileVersion
    private let page: Int?
    private let descriptor: FileDescriptor

    /// Opens the file without waiting for the other end of a pipe.
    init(_ path: FilePath, page: Int?, limits: Limits) throws(Outcome.Obstacle) {
      self.page = page
      (descriptor, version) = try Outcome.Obstacle.reading {
        let descriptor = try FileDescriptor.open(path, .readOnly, options: [.nonBlocking, .closeOnExec])
        do {
          return (descriptor, try Self.version(of: descriptor, limits))
        } catch {
          try? descriptor.close()
          throw error
        }
      }
    }

    private static func version(of descriptor: FileDescriptor, _ limits: Limits) throws -> FileVersion {
      let status = try FileStatus(of: descriptor)
      guard status.isRegular else {
        throw Outcome.Obstacle.failed("unreadable", "the input is \(status.kindName), not a regular file")
      }
      guard status.bytes <= limits.fileBytes else {
        throw FaceCropError.overLimit(.fileBytes, actual: status.bytes, allowed: limits.fileBytes)
      }
      return FileVersion(status)
    }

    deinit {
      try? descriptor.close()
    }

    /// Reads the whole file, and fails if it changed since opening.
    func read() throws(Outcome.Obstacle) -> PictureFile {
      try Outcome.Obstacle.reading {
        let bytes = try descriptor.bytes(upTo: version.bytes)
        guard bytes.count == version.bytes, FileVersion(try FileStatus(of: descriptor)) == version else {
          throw Outcome.Obstacle.failed(
            "changed", "another program changed the file during reading", "retry", isRetryable: true, isTransient: true)
        }
        return PictureFile(version: version, bytes: bytes, page: page)
      }
    }
  }
}

extension Outcome.Obstacle {
  /// Runs `body`, and converts its errors to those of an input. A missing file stays missing, but disk, server, or
  /// machine errors may pass. Permissions can change without a change of the file.
  fileprivate static func reading<Result>(_ body: () throws -> Result) throws(Self) -> Result {
    do {
      return try body()
    } catch let error as Errno {
      let lasting: [Errno] = [
        .noSuchFileOrDirectory, .notDirectory, .isDirectory, .permissionDenied, .notPermitted,
        .tooManySymbolicLinkLevels, .fileNameTooLong, .noSuchAddressOrDevice, .invalidArgument,
      ]
      let isLasting = lasting.contains(error)
      let isForbidden = [.permissionDenied, .notPermitted].contains(error)
      throw .failed(
        "unreadable", "the file cannot be read: \(error)", isRetryable: !isLasting,
        isTransient: !isLasting || isForbidden)
    } catch {
      throw Self(error)
    }
  }
}
