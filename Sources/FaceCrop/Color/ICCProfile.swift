/// The checks and properties of an ICC profile (ICC.1:2022).
enum ICCProfile {
  /// The color space of a profile, by its signature (7.2.6).
  enum Space {
    case gray, rgb, cmyk

    var signature: StaticString {
      switch self {
      case .gray: "GRAY"
      case .rgb: "RGB "
      case .cmyk: "CMYK"
      }
    }

    var channels: Int {
      switch self {
      case .gray: 1
      case .rgb: 3
      case .cmyk: 4
      }
    }
  }

  /// Returns whether the bytes are a whole, plausible profile for these colors.
  static func fits(_ profile: [UInt8], _ space: Space) -> Bool { ICCModel(profile, for: space) != nil }

  /// Returns the profile with nothing but colors and short texts; nil if it is not a plausible profile for these colors.
  static func cleaned(_ profile: [UInt8], _ space: Space) -> [UInt8]? {
    fits(profile, space) ? ICCTags(profile)?.withoutPrivateData() : nil
  }

  /// Returns an upper bound of the bytes for a color conversion; 0 for an unusable profile.
  static func conversionBytes(_ profile: [UInt8], _ space: Space) -> Int {
    ICCModel(profile, for: space)?.conversionBytes ?? 0
  }
}

extension ICCProfile {
  /// Returns the profile's description (ICC.1:2022, 9.2.41): the ASCII text of version 2, or the first text of a later
  /// version. Nil if it is missing or unreadable.
  static func name(of profile: [UInt8]) -> String? {
    let bytes = profile.span
    guard let tag = tag("desc", in: bytes) else { return nil }
    // Both kinds store the length in bytes, and no name is longer.
    let longest = 1_024
    var characters: [UInt16]
    if bytes.contains("desc", at: tag), let count = bytes.uint32(at: tag + 8) {
      characters = (0..<min(count, longest)).compactMap { bytes.byte(at: tag + 12 + $0).map(UInt16.init) }
    } else if bytes.contains("mluc", at: tag), let count = bytes.uint32(at: tag + 20),
      let offset = bytes.uint32(at: tag + 24)
    {
      characters = (0..<min(count, longest) / 2).compactMap { bytes.uint16(at: tag + offset + 2 * $0).map(UInt16.init) }
    } else {
      return nil
    }
    characters = Array(characters.prefix { $0 != 0 })
    return characters.isEmpty ? nil : String(decoding: characters, as: UTF16.self)
  }

  /// Returns the offset of a tag's data (7.3).
  private static func tag(_ signature: StaticString, in bytes: Span<UInt8>) -> Int? {
    guard let count = bytes.uint32(at: 128) else { return nil }
    let mostTags = 1_000
    for entry in 0..<min(count, mostTags) where bytes.contains(signature, at: 132 + 12 * entry) {
      return bytes.uint32(at: 132 + 12 * entry + 4)
    }
    return nil
  }
}
