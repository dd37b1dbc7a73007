/// How large an output is to be, in pixels.
public enum OutputSize: Hashable, Sendable {
  /// The longer side; the shorter one follows from the region.
  case longSide(Int)
  /// Both sides. Of a region in another shape the largest part in this one is shown, around its faces: nothing is stretched.
  case exact(width: Int, height: Int)
  /// The width; the height follows from the region.
  case width(Int)
  /// The height; the width follows from the region.
  case height(Int)

  /// Sides above this make no sense in a picture, and are refused.
  package static let largestSide = 65_535

  /// The shape that is asked for; nil where it is the region's.
  var shape: PixelSize? {
    if case .exact(let width, let height) = self { PixelSize(width: width, height: height) } else { nil }
  }

  var isValid: Bool {
    switch self {
    case .longSide(let side), .width(let side), .height(let side): (1...Self.largestSide).contains(side)
    case .exact(let width, let height):
      (1...Self.largestSide).contains(width) && (1...Self.largestSide).contains(height)
    }
  }

  /// The output's size for a region, or a frame, of `size` pixels.
  ///
  /// - Parameter enlarges: whether it may be larger than the region; if not it is made as large as that allows, in its own
  ///   shape.
  func pixels(for size: PixelSize, enlarges: Bool) -> PixelSize {
    let (width, height) = (Double(size.width), Double(size.height))
    var factors: (Double, Double)
    switch self {
    case .longSide(let side): factors = (Double(side) / Double(size.longSide), Double(side) / Double(size.longSide))
    case .width(let side): factors = (Double(side) / width, Double(side) / width)
    case .height(let side): factors = (Double(side) / height, Double(side) / height)
    case .exact(let wantedWidth, let wantedHeight):
      factors = (Double(wantedWidth) / width, Double(wantedHeight) / height)
    }
    let excess = enlarges ? 1 : max(factors.0, factors.1, 1)
    func side(_ length: Double) -> Int { min(max(Int(length.rounded()), 1), Self.largestSide) }
    return PixelSize(width: side(width * factors.0 / excess), height: side(height * factors.1 / excess))
  }
}
