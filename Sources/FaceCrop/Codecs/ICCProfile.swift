/// What of an ICC profile (ICC.1:2022, 7.2) has to be known to hand it on.
enum ICCProfile {
  /// Whether the bytes are a whole profile for gray pixels, or for RGB ones.
  static func fits(_ profile: [UInt8], isGray: Bool) -> Bool {
    let header = profile.span
    return header.uint32(at: 0) == profile.count && header.contains(isGray ? "GRAY" : "RGB ", at: 16)
      && header.contains("acsp", at: 36)
  }
}
