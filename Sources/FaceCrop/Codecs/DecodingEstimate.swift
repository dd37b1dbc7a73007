/// What decoding takes, by the header alone. In floating point, so that no header can make it overflow.
struct DecodingEstimate {
  /// Of the decoder's own memory, beside the region's pixels: at its most for any region of the picture.
  var bytes: Double
  /// As ``ImageInfo/cost``.
  var cost: Double
}

extension PixelSize {
  /// Pixels.
  var area: Double { Double(width) * Double(height) }
  var megapixels: Double { area / 1e6 }
}

extension ImageHeader {
  /// Bytes that a region of the whole picture takes at full size behind the decoder: turned, converted, encoded.
  ///
  /// - Parameter fileBytes: of the input; what is encoded again in the same format seldom becomes three times as large, and
  ///   never larger than its pixels.
  func renderingBytes(as format: ImageFormat, fileBytes: Double) -> Double {
    let pixels = size.area * Double(self.format.channels)
    // These are turned while they are decoded.
    let isTurnedAlready = format == .jpeg || format == .heic || format == .avif
    let copies: Double = orientation != .up && !isTurnedAlready ? 2 : 1
    // The encoder's own bytes, and those that are handed out.
    func output(atMost limit: Double) -> Double { 2 * min(limit, 3 * fileBytes + 65_536) }
    let encoding =
      switch format {
      // HEIC and AVIF, which are not written, become JPEG.
      case .jpeg, .heic, .avif: output(atMost: size.area)
      case .png: output(atMost: pixels * 1.01)
      // Y, U and V, alpha, and libwebp's tokens.
      case .webp: output(atMost: size.area) + size.area * (hasAlpha ? 6 : 4)
      }
    // Small things, and what the allocator keeps.
    let rest = Double(4 << 20)
    return pixels * copies + encoding + rest
  }
}

extension Int {
  init(saturating value: Double) {
    self = value >= 9e18 ? .max : Int(value)
  }
}
