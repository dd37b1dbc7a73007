/// An estimate of decoding, from the header alone. Floating point prevents overflow by hostile headers.
struct DecodingEstimate {
  /// The upper bound of the decoder's own memory in bytes, for any region, without the region's pixels.
  var bytes: Double
  /// Additional bytes that are freed before a decoded region is encoded.
  var transientBytes = 0.0
  /// Additional bytes to write the file again with hidden areas, without encoding the image; 0 if the format cannot.
  var blurBytes = 0.0
  /// The work, in the unit of ``ImageInfo/cost``.
  var cost: Double
}

extension PixelSize {
  var area: Double { Double(width) * Double(height) }
  var megapixels: Double { area / 1e6 }
}

extension Int {
  init(saturating value: Double) {
    self = value >= 9e18 ? .max : Int(value)
  }
}
