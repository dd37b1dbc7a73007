import FaceCrop
import SystemPackage

/// A fingerprint that differs between runs with different outputs: of the request, the options, the version, and the
/// algorithm.
struct Fingerprint: Sendable {
  /// The fingerprint in hexadecimal digits.
  let text: String

  /// Creates the fingerprint of a crop request, or of a ``BlurRequest``.
  init(
    version: String, request: some StableKeyed, page: Int? = nil, encoding: EncodingKey, detector: String, name: String
  ) {
    text = Self.digest([
      "version": version, "algorithm": AlgorithmRevision.current, "keys": StableKey.version,
      "request": StableKey(request).text, "page": page, "encoding": StableKey(encoding).text, "detector": detector,
      "name": name,
    ])
  }

  /// The text for the same with a name that the input alone would not have, and with the file that is read beside it.
  /// `names` is the version of the file with the names of people, and `blur` the input's own request.
  func with(name: FilePath?, blur: BlurRequest?, sidecar: FileVersion? = nil, names: FileVersion? = nil) -> String {
    let own = blur.map { Self.digest("\(text)\n\(StableKey($0).text)") } ?? text
    let named = name.map { Self.digest("\(own)\n\($0)") } ?? own
    return [sidecar, names].compactMap { $0 }.reduce(named) { Self.digest("\($0)\n\($1.bytes) \($1.modified)") }
  }

  static func of(_ plan: CropPlan) -> String { digest(JSONLines.safeLine(plan)) }

  /// Returns a fingerprint of the options for frames. A correction applies only to the same options. Sizes, formats,
  /// and the fallback without a face do not count.
  static func frame(of request: CropRequest, page: Int? = nil, isSeries: Bool = false) -> String {
    let composition = request.composition
    let layout = composition.layout
    let padding = layout.padding
    let isFilled = if case .fill = layout { true } else { false }
    return digest([
      "page": page, "faces": StableKey(request.search.faces).text,
      "measures": layout.framing.map { [$0.faceRatio, $0.largestFaceRatio, $0.eyeLine, $0.headroom] },
      "padding": [padding.top, padding.right, padding.bottom, padding.left],
      "aspect": layout.aspect.map { $0.width / $0.height },
      "isPadded": layout.edge == .pad, "isLevel": composition.alignsEyes,
      "padded": layout.framing.flatMap { $0.largestPaddedShare < 1 ? $0.largestPaddedShare : nil },
      "isSeries": isSeries ? true : nil,
      // The document whose rules frames aim at; none for `passport`, whose measures are enough.
      "document": layout.framing?.standard.flatMap { $0.document == nil ? nil : $0.rawValue },
      // Whether regions are the largest ones, and whether they hold more than the face boxes.
      "fills": isFilled ? true : nil, "holdsHeads": layout.holdsHeads ? true : nil,
      "holdsBodies": layout.holdsBodies ? true : nil, "template": layout.template.map { StableKey($0).text },
    ])
  }

  /// Returns a fingerprint of the options that choose faces.
  static func search(_ search: FaceSearch, page: Int?) -> String {
    digest(["search": StableKey(search).text, "page": page])
  }

  /// Returns a fingerprint of the options for hidden areas, as ``frame(of:page:)`` for frames. `people` names the
  /// chosen ones.
  static func area(of request: BlurRequest, people: String = "", page: Int? = nil) -> String {
    var areas = request
    (areas.mode, areas.image, areas.shape, areas.metadata, areas.keepsLocation, areas.allowsDamage, areas.sidecar) =
      (.blur, nil, .ellipse, .keep, false, false, nil)
    return digest(StableKey(areas).text + people + (page.map { " page \($0)" } ?? ""))
  }

  private static func digest(_ object: JSONObject) -> String { digest(JSONLines.safeLine(object)) }

  private static func digest(_ text: String) -> String { ContentHash(of: text).hexadecimal }
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
