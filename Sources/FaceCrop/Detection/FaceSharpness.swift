struct FaceSharpness {
  private let picture: PixelBuffer
  /// The longer side of the face box, in pixels, at which faces are compared. A smaller face is enlarged and soft.
  private let side: Int

  /// Creates a measurement in the upright image in which the faces were found.
  init(in picture: PixelBuffer, side: Int = 64) { (self.picture, self.side) = (picture, side) }

  /// The median variance of the gradient, in variances of the luma, of an internal set of faces.
  private static let common = 0.05
  /// The noise in a face without contrast, in square levels.
  private static let noise = 4.0

  /// Returns the sharpness, 0…1; nil if the face is too small. It is the variance of the luma's gradient relative to
  /// that of the luma, so that contrast has no effect (E. Krotkov, "Focusing", International Journal of Computer Vision
  /// 1, 1987, uses the gradient's energy).
  func score(of face: Face) throws(FaceCropError) -> Double? {
    let rect = PixelRect(covering: face.box.clamped(), in: picture.size)
    guard rect.size.shortSide >= 3 else { return nil }
    let patch = try picture.cropped(to: rect).inGray().resized(toLongSide: side)
    let (width, height) = (patch.width, patch.height)
    guard min(width, height) >= 3 else { return nil }
    var (luma, lumaSquares, gradient, gradientSquares) = (0, 0, 0.0, 0)
    for y in 1..<height - 1 {
      for x in 1..<width - 1 {
        let place = y * width + x
        let level = Int(patch.bytes[place])
        luma += level
        lumaSquares += level * level
        // The differences are twice the gradient.
        let across = Int(patch.bytes[place + 1]) - Int(patch.bytes[place - 1])
        let down = Int(patch.bytes[place + width]) - Int(patch.bytes[place - width])
        gradientSquares += across * across + down * down
        gradient += Double(across * across + down * down).squareRoot()
      }
    }
    let count = Double((width - 2) * (height - 2))
    let contrast = Double(lumaSquares) / count - (Double(luma) / count) * (Double(luma) / count)
    let energy = (Double(gradientSquares) / count - (gradient / count) * (gradient / count)) / 4
    let ratio = max(energy, 0) / (max(contrast, 0) + Self.noise)
    return ratio / (ratio + Self.common)
  }
}
