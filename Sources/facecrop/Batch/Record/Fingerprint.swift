import Crypto
import FaceCrop
import SystemPackage

/// What tells apart runs whose outputs differ: everything that was asked for, and the version and the rules that did
/// it.
struct Fingerprint: Sendable {
  private struct Contents: Encodable {
    var version: String
    var algorithm = AlgorithmRevision.current
    /// Every property of the request, by its name, so that none that is added is forgotten.
    var request: String
    var encoding: String
    var detector: String
    var name: String
  }

  /// The fingerprint in hexadecimal digits.
  let text: String

  init(version: String, request: CropRequest, encoding: String, detector: String, name: String) {
    let contents = Contents(
      version: version, request: String(reflecting: request), encoding: encoding, detector: detector, name: name)
    text = Self.digest(JSONLines.safeLine(contents))
  }

  /// The text for the same with a name that the input alone would not have, and with the file that is read beside it.
  func with(name: FilePath?, sidecar: FileVersion? = nil) -> String {
    let named = name.map { Self.digest("\(text)\n\($0)") } ?? text
    return sidecar.map { Self.digest("\(named)\n\($0.bytes) \($0.modified)") } ?? named
  }

  /// What tells apart plans that are applied.
  static func of(_ plan: CropPlan) -> String { digest(JSONLines.safeLine(plan)) }

  /// What tells apart requests that place frames in other ways: a frame that was put right for one fits no other. Sizes, formats, and
  /// what becomes of images without a face do not count.
  static func frame(of request: CropRequest) -> String {
    struct Contents: Encodable {
      var faces: String
      var measures: [Double]?
      var padding: [Double]
      var aspect: Double?
      var isPadded: Bool
      var isLevel: Bool
      /// Nil where regions hold the face boxes alone.
      var holdsHeads: Bool?
    }
    let composition = request.composition
    let padding = composition.padding
    return digest(
      JSONLines.safeLine(
        Contents(
          faces: "\(request.search.faces)",
          measures: composition.framing.map { [$0.faceRatio, $0.largestFaceRatio, $0.eyeLine, $0.headroom] },
          padding: [padding.top, padding.right, padding.bottom, padding.left],
          aspect: (composition.aspect ?? composition.framing?.aspect).map { $0.width / $0.height },
          isPadded: composition.edge == .pad, isLevel: composition.levelsEyes,
          holdsHeads: composition.holdsHeads ? true : nil)))
  }

  private static func digest(_ text: String) -> String { Hexadecimal.text(SHA256.hash(data: Array(text.utf8))) }
}

extension Hexadecimal {
  /// SHA-256 of a file's bytes.
  static func sha256(_ bytes: [UInt8]) -> String { text(SHA256.hash(data: bytes)) }
}
