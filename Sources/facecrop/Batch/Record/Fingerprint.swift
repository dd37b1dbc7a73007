import Crypto
import FaceCrop
import SystemPackage

/// A fingerprint that differs between runs with different outputs: of the request, the options, the version, and the
/// algorithm.
struct Fingerprint: Sendable {
  private struct Contents: Encodable {
    var version: String
    var algorithm = AlgorithmRevision.current
    /// All properties of the request by name, so that new ones are included automatically.
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

  /// Returns the fingerprint for an output that was renamed because of a collision.
  func with(name: FilePath?) -> String { name.map { Self.digest("\(text)\n\($0)") } ?? text }

  /// Returns the identifier of a plan.
  static func of(_ plan: CropPlan) -> String { digest(JSONLines.safeLine(plan)) }

  /// Returns a fingerprint of the options for frames. A correction applies only to the same options. Sizes, formats,
  /// and the fallback without a face do not count.
  static func frame(of request: CropRequest) -> String {
    struct Contents: Encodable {
      var faces: String
      var measures: [Double]?
      var padding: [Double]
      var aspect: Double?
      var isPadded: Bool
      var isLevel: Bool
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
          isPadded: composition.edge == .pad, isLevel: composition.levelsEyes)))
  }

  private static func digest(_ text: String) -> String { Hexadecimal.text(SHA256.hash(data: Array(text.utf8))) }
}

extension Hexadecimal {
  static func sha256(_ bytes: [UInt8]) -> String { text(SHA256.hash(data: bytes)) }
}
