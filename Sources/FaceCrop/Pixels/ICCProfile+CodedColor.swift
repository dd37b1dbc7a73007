internal import CColorShim

extension ICCProfile {
  /// An ICC profile for RGB with coding-independent code points (ITU-T H.273); empty for those of sRGB and for those that say
  /// nothing.
  ///
  /// PQ and HLG become a standard range: light up to half of diffuse white (203 cd/m², ITU-R BT.2408) as it is, brighter
  /// light rolled off.
  static func coded(primaries: Int, transfer: Int) throws(FaceCropError) -> [UInt8] {
    var bytes: UnsafeMutablePointer<UInt8>?
    var count = 0
    let status = unsafe fccolor_profile_from_nclx(
      UInt16(clamping: primaries), UInt16(clamping: transfer), &bytes, &count)
    defer { unsafe fccolor_profile_free(bytes) }
    switch status {
    case .ok: return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    case .unusable: return []
    case .outOfMemory: throw .outOfMemory
    }
  }
}
