/// A rectangle in fractions of an image as displayed, with the origin at the top left and both axes 0…1.
///
/// No other rectangle leaves the decoder. It describes the same region at every resolution of an image.
public struct NormalizedRect: Hashable, Sendable, Codable {
  /// The position of the left side, 0…1.
  public var x: Double
  /// The position of the top side, 0…1.
  public var y: Double
  /// The width in fractions of the image's width.
  public var width: Double
  /// The height in fractions of the image's height.
  public var height: Double

  /// Creates a rectangle in fractions of the image; see ``isValid``.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The whole image.
  public static let whole = NormalizedRect(x: 0, y: 0, width: 1, height: 1)

  /// The position of the right side.
  public var maxX: Double { x + width }
  /// The position of the bottom side.
  public var maxY: Double { y + height }
  /// The horizontal position of the center.
  public var midX: Double { x + width / 2 }
  /// The vertical position of the center.
  public var midY: Double { y + height / 2 }
  /// The area in fractions of the image's area.
  public var area: Double { width * height }

  /// Whether all four numbers are finite, the area is positive, and the rectangle lies in the image. The check
  /// tolerates numbers that are rounded to three decimals, so ``maxX`` and ``maxY`` can be up to 1.001.
  public var isValid: Bool {
    let slack = 1e-9
    return [x, y, width, height].allSatisfy(\.isFinite) && width > 0 && height > 0
      && x >= -slack && y >= -slack && max(maxX, maxY) <= 1.001 + slack
  }

  /// Returns the smallest rectangle that contains both.
  public func union(_ other: NormalizedRect) -> NormalizedRect {
    let left = min(x, other.x)
    let top = min(y, other.y)
    return NormalizedRect(
      x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
  }

  /// Returns the intersection with the image, of size 0 if they do not overlap.
  public func clamped() -> NormalizedRect {
    let left = min(max(x, 0), 1)
    let top = min(max(y, 0), 1)
    return NormalizedRect(
      x: left, y: top, width: max(min(maxX, 1) - left, 0), height: max(min(maxY, 1) - top, 0))
  }
}
