/// What of an ICC profile (ICC.1:2022, 7.2) has to be known to hand it on.
enum ICCProfile {
  /// The colors that a profile is for, by their signature (7.2.6).
  enum Space {
    case gray, rgb, cmyk

    fileprivate var signature: StaticString {
      switch self {
      case .gray: "GRAY"
      case .rgb: "RGB "
      case .cmyk: "CMYK"
      }
    }
  }

  /// Whether the bytes are a whole profile for such colors.
  static func fits(_ profile: [UInt8], _ space: Space) -> Bool {
    let header = profile.span
    return header.uint32(at: 0) == profile.count && header.contains(space.signature, at: 16)
      && header.contains("acsp", at: 36)
  }
}
