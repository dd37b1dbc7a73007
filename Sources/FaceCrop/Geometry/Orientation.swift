/// How stored pixels are turned to be displayed: the values 1…8 of EXIF's tag 0x0112 (CIPA DC-008, 4.6.4).
///
/// The only place that maps between the two spaces.
public enum Orientation: Int, Hashable, Sendable, Codable, CaseIterable {
  /// Displayed as stored.
  case up = 1
  /// Flipped left to right.
  case upMirrored
  /// Turned by half a turn.
  case down
  /// Flipped top to bottom.
  case downMirrored
  /// Transposed: mirrored at the main diagonal.
  case leftMirrored
  /// To be turned a quarter clockwise.
  case right
  /// Mirrored at the other diagonal.
  case rightMirrored
  /// To be turned a quarter counterclockwise.
  case left

  /// Whether displaying exchanges width and height.
  public var swapsAxes: Bool { rawValue >= 5 }

  /// The size as displayed of a picture stored with `size`; also the way back.
  public func applied(to size: PixelSize) -> PixelSize {
    swapsAxes ? PixelSize(width: size.height, height: size.width) : size
  }

  /// The stored pixels that are shown at `rect`.
  ///
  /// - Parameters:
  ///   - rect: a rectangle of the picture as displayed; one that is none gives none.
  ///   - stored: the picture's size as stored.
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

  /// Where the stored pixels of `rect` are shown: the inverse of ``stored(_:in:)``.
  public func displayed(_ rect: PixelRect, in stored: PixelSize) -> PixelRect {
    let (x, y, w, h) = (rect.x, rect.y, rect.width, rect.height)
    let (right, bottom) = (stored.width, stored.height)
    return switch self {
    case .up, .upMirrored, .down, .downMirrored, .leftMirrored: self.stored(rect, in: stored)
    case .right: PixelRect(x: bottom &- y &- h, y: x, width: h, height: w)
    case .rightMirrored: PixelRect(x: bottom &- y &- h, y: right &- x &- w, width: h, height: w)
    case .left: PixelRect(x: y, y: right &- x &- w, width: h, height: w)
    }
  }
}
