/// What of an ICC profile (ICC.1:2022) has to be known to hand it on.
enum ICCProfile {
  /// The colors that a profile is for, by their signature (7.2.6).
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

  /// Whether the bytes are a whole profile for such colors, as real ones are.
  static func fits(_ profile: [UInt8], _ space: Space) -> Bool { ICCModel(profile, for: space) != nil }

  /// Bytes that converting colors takes at most; 0 for a profile that is of no use.
  static func conversionBytes(_ profile: [UInt8], _ space: Space) -> Int {
    ICCModel(profile, for: space)?.conversionBytes ?? 0
  }
}

extension ICCProfile {
  /// The profile's description (ICC.1:2022, 9.2.41): the text of a version 2 profile in ASCII, or the first one of a later
  /// profile. Nil when it has none that can be read.
  static func name(of profile: [UInt8]) -> String? {
    let bytes = profile.span
    guard let tag = tag("desc", in: bytes) else { return nil }
    // Both kinds give the length in bytes; no name is longer.
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

  /// Where a tag's data begin (7.3).
  private static func tag(_ signature: StaticString, in bytes: Span<UInt8>) -> Int? {
    guard let count = bytes.uint32(at: 128) else { return nil }
    let mostTags = 1_000
    for entry in 0..<min(count, mostTags) where bytes.contains(signature, at: 132 + 12 * entry) {
      return bytes.uint32(at: 132 + 12 * entry + 4)
    }
    return nil
  }
}
