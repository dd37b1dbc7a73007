/// The transformation from stored to displayed pixels: the values 1…8 of EXIF's tag 0x0112 (CIPA DC-008, 4.6.4).
///
/// No other type maps between the two spaces.
public enum Orientation: Int, Hashable, Sendable, Codable, CaseIterable {
  /// Displayed as stored.
  case up = 1
  /// Flipped left to right.
  case upMirrored
  /// Rotated by 180 degrees.
  case down
  /// Flipped top to bottom.
  case downMirrored
  /// Transposed: mirrored at the main diagonal.
  case leftMirrored
  /// Rotated clockwise by 90 degrees for display.
  case right
  /// Mirrored at the antidiagonal.
  case rightMirrored
  /// Rotated counterclockwise by 90 degrees for display.
  case left

  /// Whether the display swaps width and height.
  public var swapsAxes: Bool { rawValue >= 5 }

  /// Returns the displayed size of an image stored with `size`, and vice versa.
  public func applied(to size: PixelSize) -> PixelSize {
    swapsAxes ? PixelSize(width: size.height, height: size.width) : size
  }

  /// Returns the stored pixels that `rect` displays.
  ///
  /// - Parameters:
  ///   - rect: A rectangle in the image as displayed. Others give a meaningless result, but never trap.
  ///   - stored: The image's size as stored.
  public func stored(_ rect: PixelRect, in stored: PixelSize) -> PixelRect {
    let (x, y, w, h) = (rect.x, rect.y, rect.width, rect.height)
    let (right, bottom) = (stored.width, stored.height)
    return switch self {
    case .up: rect
    case .upMirrored: PixelRect(x: right &- x &- w, y: y, width: w, height: h)
    case .down: PixelRect(x: right &- x &- w, y: bottom &- y &- h, width: w, height: h)
    case .downMirrored: PixelRect(x: x, y: bottom &- y &- h, width: w, height: h)
    case .leftMirrored: PixelRect(x: y, y: x, width: h, height: w)
    case .right: PixelRect(x: y, y: bottom &- x &- w, width: h, height: w)
    case .rightMirrored: PixelRect(x: right &- y &- h, y: bottom &- x &- w, width: h, height: w)
    case .left: PixelRect(x: right &- y &- h, y: x, width: h, height: w)
    }
  }

  /// Returns the stored position that a point displays, both in pixels from the left side and the top.
  func stored(x: Double, y: Double, in stored: PixelSize) -> (x: Double, y: Double) {
    let (right, bottom) = (Double(stored.width), Double(stored.height))
    return switch self {
    case .up: (x, y)
    case .upMirrored: (right - x, y)
    case .down: (right - x, bottom - y)
    case .downMirrored: (x, bottom - y)
    case .leftMirrored: (y, x)
    case .right: (y, bottom - x)
    case .rightMirrored: (right - y, bottom - x)
    case .left: (right - y, x)
    }
  }

  /// Returns the rectangle that displays the stored pixels of `rect`: the inverse of ``stored(_:in:)``.
  public func displayed(_ rect: PixelRect, in stored: PixelSize) -> PixelRect {
    inverse.stored(rect, in: applied(to: stored))
  }

  /// The transformation from displayed to stored pixels.
  private var inverse: Orientation {
    switch self {
    case .right: .left
    case .left: .right
    default: self
    }
  }

  /// Returns the rectangle as displayed of one in the image as stored, both in fractions.
  func displayed(_ rect: NormalizedRect) -> NormalizedRect {
    let (x, y, w, h) = (rect.x, rect.y, rect.width, rect.height)
    return switch self {
    case .up: rect
    case .upMirrored: NormalizedRect(x: 1 - x - w, y: y, width: w, height: h)
    case .down: NormalizedRect(x: 1 - x - w, y: 1 - y - h, width: w, height: h)
    case .downMirrored: NormalizedRect(x: x, y: 1 - y - h, width: w, height: h)
    case .leftMirrored: NormalizedRect(x: y, y: x, width: h, height: w)
    case .right: NormalizedRect(x: 1 - y - h, y: x, width: h, height: w)
    case .rightMirrored: NormalizedRect(x: 1 - y - h, y: 1 - x - w, width: h, height: w)
    case .left: NormalizedRect(x: y, y: 1 - x - w, width: h, height: w)
    }
  }

  /// Returns the rectangle as stored of one in the image as displayed: the inverse of ``displayed(_:)``.
  package func stored(_ rect: NormalizedRect) -> NormalizedRect { inverse.displayed(rect) }

  /// Returns the point as stored of one in the image as displayed, both in fractions.
  func stored(_ point: NormalizedPoint) -> NormalizedPoint {
    let place = stored(x: point.x, y: point.y, in: PixelSize(width: 1, height: 1))
    return NormalizedPoint(x: place.x, y: place.y)
  }
}
