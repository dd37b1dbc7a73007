/// What decoding takes, by the header alone. In floating point, so that no header can make it overflow.
struct DecodingEstimate {
  /// Bytes of the decoder's own memory, beside the region's pixels: the most for any region of the picture.
  var bytes: Double
  /// More of it, which is given back when a region is decoded, before it is encoded.
  var transientBytes = 0.0
  /// The work, in the unit of ``ImageInfo/cost``.
  var cost: Double
}

extension PixelSize {
  /// Pixels.
  var area: Double { Double(width) * Double(height) }
  var megapixels: Double { area / 1e6 }
}

extension Int {
  init(saturating value: Double) {
    self = value >= 9e18 ? .max : Int(value)
  }
}
