import FaceCrop
import Glibc
import Synchronization
import SystemPackage

/// An .xmp file beside an image, in which photo editors store metadata.
struct Sidecar: Sendable {
  let path: FilePath
  /// The version of the file, which changes with it.
  let version: FileVersion

  /// Looks for `IMG.JPG.xmp`, then `IMG.xmp`; nil without either, or if a request needs none: it keeps no metadata and no
  /// names of people.
  init?(beside image: FilePath, for request: CropRequest? = nil) {
    if let request, request.output.metadata == .strip, !request.search.needsNames { return nil }
    guard image.lastComponent != nil, image != FilePath(Input.standard) else { return nil }
    let candidates = [image, image.withoutExtension]
      .flatMap { path in ["xmp", "XMP"].map { Self.path(beside: path, ending: $0) } }
    let found = candidates.lazy.compactMap { path in FileVersion(path).map { (path, $0) } }.first
    guard let found else { return nil }
    (path, version) = found
  }

  static func path(beside output: FilePath, ending: String = "xmp") -> FilePath {
    FilePath(bytes: output.bytes + Array(".\(ending)".utf8))
  }

  /// The beginning of the library's packets, up to the end of the second line's element.
  private static let beginning = """
    <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
    <x:xmpmeta xmlns:x="adobe:ns:meta/"
    """

  /// Returns the packet for a file: with the hash of its other lines in the attribute that names the writing program,
  /// so that ``isOwn(_:)`` can tell whether somebody has edited the file.
  static func sealed(_ packet: [UInt8]) -> [UInt8] {
    guard packet.starts(with: beginning.utf8) else { return packet }
    let rest = packet.dropFirst(beginning.utf8.count)
    return Array(seal(of: rest).utf8) + rest
  }

  /// Returns the first two lines of a sealed packet, without the end of the element.
  private static func seal(of rest: some Collection<UInt8>) -> String {
    "\(beginning) x:xmptk=\"facecrop \(ContentHash(of: Array(rest)).hexadecimal)\""
  }

  /// Whether a file is a sidecar as facecrop wrote it, which nobody has edited.
  static func isOwn(_ path: FilePath) -> Bool {
    guard let bytes = try? Input.readToEnd(of: path, atMost: CropOutput.largestSidecar) else { return false }
    let rest = bytes.dropFirst(seal(of: []).utf8.count)
    return bytes.starts(with: seal(of: rest).utf8)
  }

  /// Removes the sidecar that facecrop wrote for an earlier output of this name, because its metadata are not those of
  /// the new one. Other files and inputs stay, and standard output has none.
  static func removeOwn(beside output: FilePath, _ gate: WriteGate) {
    let path = path(beside: output)
    guard output != FilePath(Input.standard), let status = try? FileStatus(of: path, followsLinks: false),
      status.isRegular, isOwn(path), (try? gate.check(status, shown: path.string)) != nil
    else { return }
    _ = unsafe path.withPlatformString { unsafe unlink($0) }
  }

  /// - Throws: An error whose message is a clause for a warning.
  func read(within time: Duration) throws(FileError) -> [UInt8] {
    func ignored(_ reason: String) -> FileError {
      FileError(path.string, "the sidecar '\(path)' was ignored, since it \(reason)")
    }
    guard version.bytes <= CropOutput.largestSidecar else {
      throw ignored("has more than \(CropOutput.largestSidecar >> 10) KiB")
    }
    do {
      return try Input.readToEnd(of: path, atMost: CropOutput.largestSidecar, within: ReadingTime(time))
    } catch {
      throw ignored("cannot be read: \(error)")
    }
  }
}

extension FaceSearch {
  /// Returns the search with the names of people in files beside the image. Unreadable files have none.
  func readingNames(beside image: FilePath, within time: Duration) -> FaceSearch {
    var search = self
    search.regions = RegionSources(
      sidecar: Sidecar(beside: image).flatMap { try? $0.read(within: time) },
      others: PicasaFile.regions(of: image, within: time))
    return search
  }
}

extension CropRequest {
  /// Returns the request with the sidecar's packet and the faces of `.picasa.ini`, and the fault of the sidecar.
  func reading(
    _ sidecar: Sidecar?, beside image: FilePath, within time: Duration
  ) async -> (request: CropRequest, problem: String?) {
    var request = self
    if search.needsNames { request.search.regions.others = PicasaFile.regions(of: image, within: time) }
    guard let sidecar else { return (request, nil) }
    do {
      let packet = try sidecar.read(within: time)
      if search.needsNames { request.search.regions.sidecar = packet }
      guard output.metadata != .strip else { return (request, nil) }
      request.output.sidecar = packet
      // The image itself has the same error, such as a lack of memory. The library's own warning does not tell the
      // sidecar from it.
      if (try? await output.metadata.keepsAll(of: packet)) ?? true { return (request, nil) }
      return (request, "the sidecar '\(sidecar.path)' cannot be read or is too long; its credits may be lost")
    } catch {
      return (request, error.message)
    }
  }

  /// Returns whether a warning is about the sidecar, whose fault `problem` has named.
  func repeats(_ problem: String?, _ warning: CropWarning) -> Bool {
    problem != nil && output.sidecar != nil && warning == .creditsDropped
  }
}

/// The file `.picasa.ini` in the folder of an image, in which Picasa stores names of people.
enum PicasaFile {
  /// Returns the path of the file beside an image, if it exists.
  static func path(beside image: FilePath) -> (path: FilePath, version: FileVersion)? {
    guard image != FilePath(Input.standard), image.lastComponent != nil else { return nil }
    return [".picasa.ini", "Picasa.ini"].lazy.map { image.removingLastComponent().appending($0) }
      .compactMap { path in FileVersion(path).map { (path: path, version: $0) } }.first
  }

  /// The last file that was read. Most images of a run lie in one folder, and its file can have megabytes.
  private static let last = Mutex<(path: FilePath, version: FileVersion, file: PicasaINI)?>(nil)

  /// Returns the faces of the image; empty without a readable file.
  static func regions(of image: FilePath, within time: Duration) -> [FaceRegion] {
    guard let name = image.lastComponent?.string, let (path, version) = path(beside: image) else { return [] }
    return last.withLock { last in
      if let last, last.path == path, last.version == version { return last.file.regions(of: name) }
      guard let bytes = try? Input.readToEnd(of: path, atMost: PicasaINI.mostBytes, within: ReadingTime(time)) else {
        return []
      }
      let file = PicasaINI(bytes)
      last = (path, version, file)
      return file.regions(of: name)
    }
  }
}
