internal import CPNGShim

/// The chunks gAMA and cHRM (PNG, third edition, 11.3.2), if not sRGB's. An ICC profile and sRGB take precedence.
struct PNGColors {
  /// The display's exponent; nil for sRGB's curve.
  var gamma: Double?
  /// CIE x and y of white, red, green, and blue; nil for sRGB's.
  var primaries: [Double]?

  private static let sRGB = [0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06]

  init?(_ header: FCPNGHeader) {
    guard unsafe !header.isSRGB && header.profile.state == .none else { return nil }
    // The common value 1/2.2 means sRGB. Like libpng, this ignores differences up to 5 %.
    if unsafe header.hasGamma, unsafe abs(header.gamma * 2.2 - 1) > 0.05 { gamma = unsafe 1 / header.gamma }
    if unsafe header.hasChromaticities {
      let c = unsafe header.chromaticities
      let own = [c.whiteX, c.whiteY, c.redX, c.redY, c.greenX, c.greenY, c.blueX, c.blueY]
      if zip(own, Self.sRGB).contains(where: { abs($0 - $1) > 0.002 }) { primaries = own }
    }
    if gamma == nil && primaries == nil { return nil }
  }
}

/// The chunk cICP (PNG, third edition, 11.3.2.6): code points of ITU-T H.273. It outranks other chunks for colors.
struct PNGCodePoints {
  var primaries: Int
  var transfer: Int
  /// Whether samples reach from 0 to the largest. Those of video, which leave room at both ends, are not read.
  var isFullRange: Bool

  /// - Returns: nil without code points.
  init?(_ header: FCPNGHeader) {
    guard unsafe header.hasCodePoints else { return nil }
    (primaries, transfer) = unsafe (Int(header.primaries), Int(header.transfer))
    isFullRange = unsafe header.isFullRange
    let unspecified = 2
    if primaries == unspecified && transfer == unspecified { return nil }
  }

  /// An ICC profile for RGB; empty for sRGB, nil for code points that cannot be used.
  func profile() throws(FaceCropError) -> [UInt8]? {
    isFullRange ? try ICCProfile.coded(primaries: primaries, transfer: transfer) : nil
  }
}
