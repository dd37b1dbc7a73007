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
