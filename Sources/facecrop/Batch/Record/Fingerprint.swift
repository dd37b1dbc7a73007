import Crypto
import FaceCrop
import SystemPackage

/// A fingerprint that differs between runs with different outputs: of the request, the options, the version, and the
/// algorithm.
struct Fingerprint: Sendable {
  private struct Contents: Encodable {
    var version: String
    var algorithm = AlgorithmRevision.current
    var keys = StableKey.version
    var request: String
    var encoding: String
    var detector: String
    var name: String
  }

  /// The fingerprint in hexadecimal digits.
  let text: String

  /// Creates the fingerprint of a crop request, or of an ``Anonymization``.
  init(version: String, request: some StableKeyed, encoding: EncodingKey, detector: String, name: String) {
    let contents = Contents(
      version: version, request: StableKey(request).text, encoding: StableKey(encoding).text, detector: detector,
      name: name)
    text = Self.digest(JSONLines.safeLine(contents))
  }

  /// The text for the same with a name that the input alone would not have, and with the file that is read beside it.
  /// `names` is the version of the file with the names of people.
  func with(name: FilePath?, sidecar: FileVersion? = nil, names: FileVersion? = nil) -> String {
    let named = name.map { Self.digest("\(text)\n\($0)") } ?? text
    return [sidecar, names].compactMap { $0 }.reduce(named) { Self.digest("\($0)\n\($1.bytes) \($1.modified)") }
  }

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
      /// The document whose rules frames aim at; nil for none and for `passport`, whose measures are enough.
      var document: String?
      /// Nil where regions are not the largest ones.
      var fills: Bool?
      /// Nil where regions hold the face boxes alone.
      var holdsHeads: Bool?
      /// Nil without a template.
      var template: String?
    }
    let composition = request.composition
    let layout = composition.layout
    let padding = layout.padding
    let (fills, holdsHeads): (Bool?, Bool?) =
      switch layout {
      case .fill: (true, nil)
      case .heads: (nil, true)
      case .faces, .framing, .template: (nil, nil)
      }
    return digest(
      JSONLines.safeLine(
        Contents(
          faces: StableKey(request.search.faces).text,
          measures: layout.framing.map { [$0.faceRatio, $0.largestFaceRatio, $0.eyeLine, $0.headroom] },
          padding: [padding.top, padding.right, padding.bottom, padding.left],
          aspect: layout.aspect.map { $0.width / $0.height },
          isPadded: layout.edge == .pad, isLevel: composition.alignsEyes,
          document: layout.framing?.standard.flatMap { $0.document == nil ? nil : $0.rawValue },
          fills: fills, holdsHeads: holdsHeads,
          template: layout.template.map { StableKey($0).text })))
  }

  /// Returns a fingerprint of the options for hidden areas, as ``frame(of:)`` for frames.
  static func area(of request: Anonymization) -> String {
    var areas = request
    (areas.mode, areas.shape, areas.metadata, areas.keepsLocation, areas.allowsDamage, areas.sidecar) =
      (.blur, .ellipse, .keep, false, false, nil)
    return digest(StableKey(areas).text)
  }

  private static func digest(_ text: String) -> String { Hexadecimal.text(SHA256.hash(data: Array(text.utf8))) }
}

/// The settings of encoding that change the bytes of outputs.
struct EncodingKey: StableKeyed {
  /// The format by option; nil if outputs follow their inputs.
  var chosen: ImageFormat?
  /// The settings of each format with an encoder.
  var formats: [OutputFormat]
  var background: PadFill?
  var mostBytes: Int?
  var isLossless: Bool
  /// Whether metadata is written to a file beside the output.
  var writesSidecar = false

  func write(to key: inout StableKey) {
    key.field("chosen", chosen?.rawValue)
    key.field("formats", formats)
    key.field("background", background)
    key.field("most-bytes", mostBytes)
    key.field("lossless", isLossless)
    key.field("sidecar", writesSidecar)
  }
}

extension Hexadecimal {
  static func sha256(_ bytes: [UInt8]) -> String { text(SHA256.hash(data: bytes)) }
}
