internal import CColorShim

extension ICCProfile {
  /// Returns an ICC profile for RGB with coding-independent code points (ITU-T H.273); empty for sRGB and for
  /// unspecified code points, nil for unknown ones.
  ///
  /// PQ and HLG become standard range: light up to half of diffuse white (203 cd/m², ITU-R BT.2408) is unchanged, and
  /// brighter light is rolled off.
  static func coded(primaries: Int, transfer: Int) throws(FaceCropError) -> [UInt8]? {
    try unsafe made { (bytes, count) in
      unsafe fccolor_profile_from_nclx(UInt16(clamping: primaries), UInt16(clamping: transfer), bytes, count)
    }
  }

  /// Returns an ICC profile for a display; empty for invalid numbers. `gamma` is its exponent, and `primaries` are CIE
  /// x and y of white, red, green, and blue, which gray ignores. Both are sRGB's for nil.
  static func of(gamma: Double?, primaries: [Double]?, isGray: Bool) throws(FaceCropError) -> [UInt8] {
    if isGray && gamma == nil { return [] }
    guard let xy = isGray ? nil : primaries else {
      return try unsafe made { (bytes, count) in
        unsafe fccolor_profile_from_gamma(gamma ?? 0, nil, isGray, bytes, count)
      } ?? []
    }
    var numbers = FCColorPrimaries(xy: (xy[0], xy[1], xy[2], xy[3], xy[4], xy[5], xy[6], xy[7]))
    return try unsafe made { (bytes, count) in
      unsafe fccolor_profile_from_gamma(gamma ?? 0, &numbers, isGray, bytes, count)
    } ?? []
  }

  private static func made(
    _ make: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>) -> FCColorStatus
  ) throws(FaceCropError) -> [UInt8]? {
    var bytes: UnsafeMutablePointer<UInt8>?
    var count = 0
    let status = unsafe make(&bytes, &count)
    defer { unsafe fccolor_profile_free(bytes) }
    switch status {
    case .ok: return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    case .unusable: return nil
    case .outOfMemory: throw .outOfMemory
    }
  }
}
