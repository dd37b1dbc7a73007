/// The checks and properties of an ICC profile (ICC.1:2022).
enum ICCProfile {
  /// The color space of a profile, by its signature (7.2.6), with its number of channels.
  enum Space: Int {
    case gray = 1
    case rgb = 3
    case cmyk = 4

    var channels: Int { rawValue }

    var signature: StaticString {
      switch self {
      case .gray: "GRAY"
      case .rgb: "RGB "
      case .cmyk: "CMYK"
      }
    }

    /// RGB for gray, and gray for RGB, which both have grays; nil for other colors.
    var counterpart: Space? {
      switch self {
      case .gray: .rgb
      case .rgb: .gray
      case .cmyk: nil
      }
    }
  }

  /// Returns whether the bytes are a whole, plausible profile for these colors.
  static func fits(_ profile: [UInt8], _ space: Space) -> Bool { ICCModel(profile, for: space) != nil }

  /// Returns the profile with nothing but colors and short texts; nil if it is not a plausible profile for these colors.
  /// Gray can have a profile for RGB too; see ``fitted(_:to:_:)``.
  static func cleaned(_ profile: [UInt8], _ space: Space) -> [UInt8]? {
    if fits(profile, space) { return ICCTags(profile)?.cleaned(for: space) }
    return space == .gray ? cleaned(profile, .rgb) : nil
  }

  /// Returns an upper bound of the bytes for a color conversion of pixels; 0 for an unusable profile.
  static func conversionBytes(_ profile: [UInt8], _ space: Space) -> Int {
    if let model = ICCModel(profile, for: space) { return model.conversionBytes }
    guard let other = space.counterpart, let model = ICCModel(profile, for: other) else { return 0 }
    return model.conversionBytes + MatrixConversion.bytes
  }

  /// Returns the profile's description (ICC.1:2022, 9.2.41): the ASCII text of version 2, or the first text of a later
  /// version. Nil if it is missing or unreadable.
  static func name(of profile: [UInt8]) -> String? {
    let text = ICCTags(profile).flatMap { tags in tags.range("desc").flatMap { ICCText(profile, $0) } }
    return text.flatMap { $0.characters.isEmpty ? nil : String(decoding: $0.characters, as: UTF16.self) }
  }
}
