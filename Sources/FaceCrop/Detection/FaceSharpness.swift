/// How sharp faces are, in the picture in which they were found.
struct FaceSharpness {
  private let picture: PixelBuffer

  /// - Parameter picture: Upright, in which the faces were found.
  init(in picture: PixelBuffer) {
    self.picture = picture
  }

  /// Pixels of the face box's longer side, at which all faces are compared. A smaller face is enlarged, and is as soft as that makes it.
  private static let side = 64
  /// The variance of the gradient, in variances of the luma, that half of the faces of an internal set have.
  private static let common = 0.05
  /// Square levels that a face without contrast has by noise alone.
  private static let noise = 4.0

  /// The variance of the luma's gradient beside the luma's own, so that contrast does not count (E. Krotkov, "Focusing", International
  /// Journal of Computer Vision 1, 1987, has the gradient's energy), 0…1; nil where there is nothing to see.
  func score(of face: Face) throws(FaceCropError) -> Double? {
    let rect = PixelRect(covering: face.box.clamped(), in: picture.size)
    guard rect.size.shortSide >= 3 else { return nil }
    let patch = try picture.cropped(to: rect).inGray().resized(toLongSide: Self.side)
    let (width, height) = (patch.width, patch.height)
    guard min(width, height) >= 3 else { return nil }
    var (luma, lumaSquares, gradient, gradientSquares) = (0, 0, 0.0, 0)
    for y in 1..<height - 1 {
      for x in 1..<width - 1 {
        let place = y * width + x
        let level = Int(patch.bytes[place])
        luma += level
        lumaSquares += level * level
        // Twice the gradient.
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
