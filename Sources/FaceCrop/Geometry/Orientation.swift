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
    var own = swapsAxes ? PixelRect(x: rect.y, y: rect.x, width: rect.height, height: rect.width) : rect
    if reverses.columns { own.x = stored.width &- own.x &- own.width }
    if reverses.rows { own.y = stored.height &- own.y &- own.height }
    return own
  }

  /// Whether the stored columns and rows have the reverse order of the displayed lines that show them.
  private var reverses: (columns: Bool, rows: Bool) {
    switch self {
    case .up, .leftMirrored: (false, false)
    case .upMirrored, .left: (true, false)
    case .down, .rightMirrored: (true, true)
    case .downMirrored, .right: (false, true)
    }
  }

  /// Returns the stored position that a point displays, both in pixels from the left side and the top.
  func stored(x: Double, y: Double, in stored: PixelSize) -> (x: Double, y: Double) {
    let (x, y) = swapsAxes ? (y, x) : (x, y)
    return (reverses.columns ? Double(stored.width) - x : x, reverses.rows ? Double(stored.height) - y : y)
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
  func displayed(_ rect: NormalizedRect) -> NormalizedRect { inverse.stored(rect) }

  /// Returns the rectangle as stored of one in the image as displayed: the inverse of ``displayed(_:)``.
  package func stored(_ rect: NormalizedRect) -> NormalizedRect {
    var own = swapsAxes ? NormalizedRect(x: rect.y, y: rect.x, width: rect.height, height: rect.width) : rect
    if reverses.columns { own.x = 1 - own.x - own.width }
    if reverses.rows { own.y = 1 - own.y - own.height }
    return own
  }

  /// Returns the point as stored of one in the image as displayed, both in fractions.
  func stored(_ point: NormalizedPoint) -> NormalizedPoint {
    let place = stored(x: point.x, y: point.y, in: PixelSize(width: 1, height: 1))
    return NormalizedPoint(x: place.x, y: place.y)
  }

  /// Returns the combination of both, one after the other.
  func followed(by next: Orientation) -> Orientation {
    // A point that no orientation but `up` leaves at its place.
    let point = NormalizedPoint(x: 0.125, y: 0.25)
    let origin = stored(next.stored(point))
    return Orientation.allCases.first { $0.stored(point) == origin }!
  }
}
