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

  /// The text for the same with a name that says another's is taken.
  func with(name: FilePath?) -> String { name.map { Self.digest("\(text)\n\($0)") } ?? text }

  /// What tells apart plans that are applied.
  static func of(_ plan: CropPlan) -> String { digest(JSONLines.safeLine(plan)) }

  private static func digest(_ text: String) -> String { Hexadecimal.text(SHA256.hash(data: Array(text.utf8))) }
}

extension Hexadecimal {
  /// SHA-256 of a file's bytes.
  static func sha256(_ bytes: [UInt8]) -> String { text(SHA256.hash(data: bytes)) }
}
