/// The color model of a profile (ICC.1:2022, 8.3 to 8.5), for perceptual rendering.
enum ICCModel {
  /// RGB by three curves and three colorants, the most common model.
  case matrix([ToneCurve], colorants: [[Double]])
  case gray(ToneCurve)
  /// A model that Little CMS converts, with checked tags only.
  case tables(ICCTags)

  /// Reads a profile; nil if it is for other colors, or unlike real profiles.
  init?(_ profile: [UInt8], for space: ICCProfile.Space) {
    guard profile.span.contains(space.signature, at: 16), let tags = ICCTags(profile) else { return nil }
    let span = profile.span
    // A table takes precedence over curves.
    if let table = tags.range("A2B0") {
      guard ICCTable.isSound(span, table, inputs: space.channels),
        tags.range("A2B1").map({ ICCTable.isSound(span, $0, inputs: space.channels) }) != false
      else { return nil }
      self = .tables(tags)
      return
    }
    let isOfXYZ = span.contains("XYZ ", at: 20)
    switch space {
    case .gray:
      guard let curve = Self.curve(tags, "kTRC") else { return nil }
      self = isOfXYZ ? .gray(curve) : .tables(tags)
    case .rgb:
      let curves = (["rTRC", "gTRC", "bTRC"] as [StaticString]).compactMap { Self.curve(tags, $0) }
      let colorants = (["rXYZ", "gXYZ", "bXYZ"] as [StaticString]).compactMap { Self.color(tags, $0) }
      guard curves.count == 3, colorants.count == 3 else { return nil }
      self = isOfXYZ ? .matrix(curves, colorants: colorants) : .tables(tags)
    case .cmyk: return nil
    }
  }

  /// The tags that Little CMS gets: tables, and the tags for its black point.
  static let tagsOfTables: [StaticString] = [
    "A2B0", "A2B1", "rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", "kTRC",
  ]

  /// An upper bound of the bytes for a conversion.
  var conversionBytes: Int {
    switch self {
    case .matrix, .gray: MatrixConversion.bytes
    case .tables(let tags): LibraryConversion.memory(for: Self.bytesOfTables(tags))
    }
  }

  static func bytesOfTables(_ tags: ICCTags) -> Int {
    tagsOfTables.reduce(256) { $0 + (tags.range($1)?.count ?? 0) }
  }

  private static func curve(_ tags: ICCTags, _ signature: StaticString) -> ToneCurve? {
    tags.range(signature).flatMap { ToneCurve(tags, $0) }
  }

  /// The type of Corbis's profiles in place of `XYZ `, which Little CMS reads too.
  static let corbisColor = 0x17A5_05B8

  /// Returns the color of an `XYZ ` tag (10.31); nil if it is no plausible light.
  private static func color(_ tags: ICCTags, _ signature: StaticString) -> [Double]? {
    let span = tags.bytes.span
    guard let range = tags.range(signature), range.count >= 20,
      span.contains("XYZ ", at: range.lowerBound) || span.uint32(at: range.lowerBound) == corbisColor
    else { return nil }
    let color = (0..<3).compactMap { tags.fixed(at: range.lowerBound + 8 + 4 * $0) }
    return color.allSatisfy { abs($0) <= 4 } ? color : nil
  }
}
