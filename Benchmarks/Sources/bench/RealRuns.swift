import CFullDecode
import FaceCrop
import Foundation

/// The warm library on real images, from bytes to an avatar's JPEG, compared with full decodes by other libraries.
enum RealRuns {
  /// The figures of one file. Times are the least of all rounds, in seconds of processor time.
  struct Row: Encodable {
    let file: String
    let format: String
    let isProgressive: Bool
    /// The size of the stored image.
    let width: Int
    let height: Int
    /// The faces that the detector finds.
    let faces: Int
    /// Decoding to RGB, with one row in memory if the format's library can.
    var fullDecode = Double.infinity
    var avatar = Double.infinity
    /// The same avatar with a known face.
    var avatarOfKnownFace = Double.infinity
  }

  /// The side of the avatars in pixels.
  static let side = 512

  /// Measures each image that can be decoded, in order of the names, and returns JSON.
  static func measure(_ folder: String, rounds: Int) async throws -> String {
    var rows: [Row] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      let url = URL(filePath: folder).appending(path: name)
      guard let bytes = (try? Data(contentsOf: url)).map({ [UInt8]($0) }) else { continue }
      if let row = try await measure(name, bytes, rounds: rounds) { rows.append(row) }
    }
    guard !rows.isEmpty else { throw BenchError("\(folder) has no image") }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return String(decoding: try encoder.encode(rows), as: UTF8.self)
  }

  private static func measure(_ name: String, _ bytes: [UInt8], rounds: Int) async throws -> Row? {
    let cropper = FaceCropper()
    let source = ImageSource.bytes(bytes)
    guard let info = try? await cropper.info(of: source), let detection = try? await cropper.detect(in: source),
      (try? await makeAvatar(of: bytes, by: cropper)) != nil, let decoder = FullDecoder(of: bytes, info)
    else { return nil }
    let known = FaceCropper(detector: KnownFaces(faces: detection.faces))
    var row = Row(
      file: name, format: "\(info.format)", isProgressive: info.isProgressive, width: info.storedSize.width,
      height: info.storedSize.height, faces: detection.faces.count)
    for _ in 0..<rounds {
      row.fullDecode = min(row.fullDecode, try await time { try decoder.run(bytes) })
      row.avatar = min(row.avatar, try await time { try await makeAvatar(of: bytes, by: cropper) })
      row.avatarOfKnownFace = min(
        row.avatarOfKnownFace, try await time { try await makeAvatar(of: bytes, by: known) })
    }
    return row
  }

  private static func time(_ body: () async throws -> Void) async throws -> Double {
    let start = Clock.processor.now
    try await body()
    return Clock.processor.now - start
  }

  private static func makeAvatar(of bytes: [UInt8], by cropper: FaceCropper) async throws {
    try await WarmRuns.makeAvatar(of: bytes, by: cropper, noFace: .center)
  }
}

/// A detector that returns known faces after the same overview.
private struct KnownFaces: FaceDetector, ReadyFaceDetector {
  let faces: [Face]

  var name: String { "known" }

  var input: DetectorInput { YuNetFaceDetector().input }

  func prepare() -> any ReadyFaceDetector { self }

  func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) -> [Face] { faces }
}

/// A format's own library, used as it documents.
@safe private struct FullDecoder {
  private let decode: (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>) -> Bool
  private let pixels: PixelBytes

  /// Returns nil for an unsupported format or file.
  init?(of bytes: [UInt8], _ info: ImageInfo) {
    let area = info.storedSize.width * info.storedSize.height
    pixels = PixelBytes(count: info.format == .jpeg ? info.storedSize.width * 4 : area * 4)
    switch info.format {
    case .jpeg: unsafe decode = full_decode_of_rows
    case .png: unsafe decode = full_decode_png
    case .webp: unsafe decode = full_decode_webp
    case .heic, .avif: unsafe decode = full_decode_heif
    default: return nil
    }
    guard (try? run(bytes)) != nil else { return nil }
  }

  func run(_ bytes: [UInt8]) throws {
    guard unsafe decode(bytes, bytes.count, pixels.start) else { throw BenchError("the image cannot be decoded") }
  }
}

/// Reused memory.
@safe private final class PixelBytes {
  let start: UnsafeMutablePointer<UInt8>

  init(count: Int) {
    unsafe start = .allocate(capacity: count)
  }

  deinit {
    unsafe start.deallocate()
  }
}
