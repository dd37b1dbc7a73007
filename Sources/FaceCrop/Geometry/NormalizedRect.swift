/// A rectangle in fractions of a picture as displayed: origin top-left, both axes 0…1.
///
/// This is the only rectangle that leaves the decoder. It means the same region at every resolution of a picture.
public struct NormalizedRect: Hashable, Sendable, Codable {
  /// The place of the left side, 0…1.
  public var x: Double
  /// The place of the top side, 0…1.
  public var y: Double
  /// The width in fractions of the picture's.
  public var width: Double
  /// The height in fractions of the picture's.
  public var height: Double

  /// A rectangle in fractions of the picture; see ``isValid``.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The whole picture.
  public static let whole = NormalizedRect(x: 0, y: 0, width: 1, height: 1)

  /// The place of the right side.
  public var maxX: Double { x + width }
  /// The place of the bottom side.
  public var maxY: Double { y + height }
  /// The place of the center, from the left.
  public var midX: Double { x + width / 2 }
  /// The place of the center, from the top.
  public var midY: Double { y + height / 2 }
  /// The area in fractions of the picture's.
  public var area: Double { width * height }

  /// Whether all four numbers are finite, the area is positive, and the rectangle lies in the picture. A rounding error
  /// of 10⁻⁹ is let pass.
  public var isValid: Bool {
    let slack = 1e-9
    return [x, y, width, height].allSatisfy(\.isFinite) && width > 0 && height > 0
      && x >= -slack && y >= -slack && maxX <= 1 + slack && maxY <= 1 + slack
  }

  /// The smallest rectangle that holds both.
  public func union(_ other: NormalizedRect) -> NormalizedRect {
    let left = min(x, other.x)
    let top = min(y, other.y)
    return NormalizedRect(
      x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
  }

  /// The part inside the picture; of no size when there is none.
  public func clamped() -> NormalizedRect {
    let left = min(max(x, 0), 1)
    let top = min(max(y, 0), 1)
    return NormalizedRect(
      x: left, y: top, width: max(min(maxX, 1) - left, 0), height: max(min(maxY, 1) - top, 0))
  }
}
