import FaceCrop
import SystemPackage

/// An .xmp file beside an image, in which photo editors store metadata.
struct Sidecar: Sendable {
  let path: FilePath
  /// The version of the file, which changes with it.
  let version: FileVersion

  /// Looks for `IMG.JPG.xmp`, then `IMG.xmp`; nil without either, or if the policy keeps no metadata.
  init?(beside image: FilePath, for policy: MetadataPolicy) {
    guard policy != .strip, image.lastComponent != nil, image != FilePath(Input.standard) else { return nil }
    var bare = image
    bare.extension = nil
    let candidates = [image, bare].flatMap { path in ["xmp", "XMP"].map { Self.path(beside: path, ending: $0) } }
    guard
      let found = candidates.lazy.compactMap({ path in FileStatus(path).map { (path, $0) } }).first(where: {
        $1.isRegular
      })
    else { return nil }
    (path, version) = (found.0, FileVersion(found.1))
  }

  /// Returns the path of an output's own sidecar.
  static func path(beside output: FilePath, ending: String = "xmp") -> FilePath {
    FilePath(bytes: output.bytes + Array(".\(ending)".utf8))
  }

  /// - Throws: A clause for a warning.
  func read(within time: Duration) throws(Unreadable) -> [UInt8] {
    guard version.bytes <= CropOutput.largestSidecar else {
      throw Unreadable(
        clause: "the sidecar '\(path)' was ignored, since it has more than \(CropOutput.largestSidecar >> 10) KiB")
    }
    do {
      return try Input.readToEnd(of: path, atMost: CropOutput.largestSidecar, within: ReadingTime(time))
    } catch {
      throw Unreadable(clause: "the sidecar '\(path)' was ignored, since it cannot be read: \(error)")
    }
  }

  struct Unreadable: Error {
    var clause: String
  }
}

extension CropRequest {
  /// Returns the request with the sidecar's packet, or the reason why the sidecar cannot be read.
  func reading(_ sidecar: Sidecar?, within time: Duration) -> (request: CropRequest, problem: String?) {
    guard let sidecar else { return (self, nil) }
    var request = self
    do {
      request.output.sidecar = try sidecar.read(within: time)
      return (request, nil)
    } catch {
      return (self, error.clause)
    }
  }
}
