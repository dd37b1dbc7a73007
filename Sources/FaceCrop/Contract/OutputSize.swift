/// The size of an output in pixels, 1 to 65,535 for each side.
public enum OutputSize: Hashable, Sendable {
  /// The longer side. The shorter one follows from the region.
  case longSide(Int)
  /// Both sides. Nothing is stretched: a region of another shape is cropped around its faces.
  case exact(width: Int, height: Int)
  /// The largest size inside these sides, which keeps the region's shape. The sides may be of any length. A size that no
  /// output can have is only a bound, and smaller outputs then have no warning.
  case fit(PixelSize)
  /// The smallest size that covers these sides, which keeps the region's shape; see ``fit(_:)``.
  case cover(PixelSize)
  /// The width. The height follows from the region.
  case width(Int)
  /// The height. The width follows from the region.
  case height(Int)
  /// The largest region of the image with this aspect, around the crop's faces, as ``Composition/Layout/fill(_:)`` chooses
  /// it. The longer side is in pixels; nil keeps the region's own size.
  ///
  /// Several of these give several shapes from one detection pass. The crop's own region has no effect.
  case filling(AspectRatio, longSide: Int?)

  /// The upper bound of a side in pixels.
  package static let largestSide = 65_535

  static let tooLarge = FaceCropError.invalidRequest("an enlarged image has at most \(largestSide) pixels a side")

  /// Whether it bounds outputs of any shape, also those of a template.
  var isBound: Bool {
    switch self {
    case .fit, .cover: true
    default: false
    }
  }

  /// A size that bounds the outputs at least as much, for estimates.
  var bound: OutputSize {
    switch self {
    case .fit(let size): .longSide(min(size.longSide, Self.largestSide))
    case .cover(let size): .width(min(size.shortSide, Self.largestSide))
    default: self
    }
  }

  /// The requested aspect; nil if the region determines it.
  package var aspect: AspectRatio? { shape.map { AspectRatio(width: Double($0.width), height: Double($0.height)) } }

  /// The requested shape; nil if the region determines it.
  var shape: PixelSize? {
    if case .exact(let width, let height) = self { PixelSize(width: width, height: height) } else { nil }
  }

  var isValid: Bool {
    switch self {
    case .longSide(let side), .width(let side), .height(let side): (1...Self.largestSide).contains(side)
    case .exact(let width, let height):
      (1...Self.largestSide).contains(width) && (1...Self.largestSide).contains(height)
    case .fit(let size), .cover(let size): size.shortSide >= 1
    case .filling(let aspect, let side): aspect.isValid && (1...Self.largestSide).contains(side ?? 1)
    }
  }

  /// Returns the size with this aspect and longer side.
  static func size(_ aspect: AspectRatio, longSide: Int) -> PixelSize {
    let scale = Double(longSide) / max(aspect.width, aspect.height)
    func side(_ length: Double) -> Int { min(max(Int((length * scale).rounded()), 1), largestSide) }
    return PixelSize(width: side(aspect.width), height: side(aspect.height))
  }

  /// Returns the output's size for a region or frame of `size` pixels. Unless it `allowsUpscaling`, an output is not
  /// larger than the region, and gets the largest possible size with its own aspect ratio. Only `fit` and `cover` can
  /// exceed the longest side of outputs.
  func pixels(for size: PixelSize, allowsUpscaling: Bool) -> PixelSize {
    let (width, height) = (Double(size.width), Double(size.height))
    var factors: (Double, Double)
    switch self {
    case .longSide(let side): factors = (Double(side) / Double(size.longSide), Double(side) / Double(size.longSide))
    case .width(let side): factors = (Double(side) / width, Double(side) / width)
    case .height(let side): factors = (Double(side) / height, Double(side) / height)
    case .exact(let wantedWidth, let wantedHeight):
      factors = (Double(wantedWidth) / width, Double(wantedHeight) / height)
    case .fit(let target), .cover(let target):
      let (across, down) = (Double(target.width) / width, Double(target.height) / height)
      let factor = if case .fit = self { min(across, down) } else { max(across, down) }
      return factor >= 1 && !allowsUpscaling ? size : size.scaled(by: min(factor, 1e9))
    case .filling(let aspect, let side):
      let wanted = side.map { Self.size(aspect, longSide: $0) } ?? size
      factors = (Double(wanted.width) / width, Double(wanted.height) / height)
    }
    let excess = allowsUpscaling ? 1 : max(factors.0, factors.1, 1)
    func side(_ length: Double) -> Int { min(max(Int(length.rounded()), 1), Self.largestSide) }
    return PixelSize(width: side(width * factors.0 / excess), height: side(height * factors.1 / excess))
  }
}
