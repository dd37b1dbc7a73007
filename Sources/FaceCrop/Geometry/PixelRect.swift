/// A width and height in pixels.
public struct PixelSize: Hashable, Sendable, Codable {
  /// The width in pixels.
  public var width: Int
  /// The height in pixels.
  public var height: Int

  /// Creates a size in pixels.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// The longer side.
  public var longSide: Int { max(width, height) }
  /// The shorter side.
  public var shortSide: Int { min(width, height) }

  /// Returns the size times `factor`, at least one pixel for each side.
  func scaled(by factor: Double) -> PixelSize {
    PixelSize(
      width: max(Int((Double(width) * factor).rounded()), 1), height: max(Int((Double(height) * factor).rounded()), 1))
  }

  /// Returns the size with this longer side, and the same aspect ratio up to rounding.
  func scaled(toLongSide side: Int) -> PixelSize {
    func scaled(_ length: Int) -> Int { max((length * side + longSide / 2) / longSide, 1) }
    return PixelSize(width: scaled(width), height: scaled(height))
  }
}

/// A rectangle of whole pixels, origin top-left.
public struct PixelRect: Hashable, Sendable, Codable {
  /// The left column, from 0.
  public var x: Int
  /// The top row, from 0.
  public var y: Int
  /// The width in pixels.
  public var width: Int
  /// The height in pixels.
  public var height: Int

  /// Creates a rectangle in pixels.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The width and height.
  public var size: PixelSize { PixelSize(width: width, height: height) }

  /// Creates the rectangle of pixels that `rect` touches in an image of `size`: rounded outward, clamped, at least one.
  ///
  /// A border within 10⁻⁶ of a whole pixel is rounded to it, so that a region from pixels gives the same ones.
  ///
  /// - Parameters:
  ///   - rect: A valid rectangle (`NormalizedRect.isValid`). In others, a number that is not finite counts as the
  ///     nearest edge, and NaN as 0.
  ///   - size: Sides of 1 to 2⁴⁰; other values are clamped.
  public init(covering rect: NormalizedRect, in size: PixelSize) {
    // Not `max`, which returns NaN for NaN.
    func place(_ value: Double) -> Double { value > 0 ? min(value, 1) : 0 }
    func span(_ start: Double, _ end: Double, _ side: Int) -> (start: Int, length: Int) {
      let slack = 1e-6
      let side = min(max(side, 1), 1 << 40)
      let first = Int((place(start) * Double(side) + slack).rounded(.down))
      let last = Int((place(end) * Double(side) - slack).rounded(.up))
      let begin = min(first, side - 1)
      return (begin, max(min(last, side) - begin, 1))
    }
    let horizontal = span(rect.x, rect.maxX, size.width)
    let vertical = span(rect.y, rect.maxY, size.height)
    self.init(x: horizontal.start, y: vertical.start, width: horizontal.length, height: vertical.length)
  }

  /// Creates the nearest rectangle of whole pixels to `rect`, which may reach out of an image of `size`.
  init(rounding rect: NormalizedRect, in size: PixelSize) {
    let left = Int((rect.x * Double(size.width)).rounded())
    let top = Int((rect.y * Double(size.height)).rounded())
    self.init(
      x: left, y: top, width: max(Int((rect.maxX * Double(size.width)).rounded()) - left, 1),
      height: max(Int((rect.maxY * Double(size.height)).rounded()) - top, 1))
  }

  /// Creates the rectangle of whole pixels that `frame` touches.
  init(outside frame: Frame) {
    let (left, top) = (frame.x.rounded(.down), frame.y.rounded(.down))
    self.init(
      x: Int(left), y: Int(top), width: max(Int(frame.maxX.rounded(.up) - left), 1),
      height: max(Int(frame.maxY.rounded(.up) - top), 1))
  }

  /// Returns the smallest rectangle that contains both.
  func union(_ other: PixelRect) -> PixelRect {
    let (left, top) = (min(x, other.x), min(y, other.y))
    return PixelRect(
      x: left, y: top, width: max(x + width, other.x + other.width) - left,
      height: max(y + height, other.y + other.height) - top)
  }

  /// Returns the intersection, of size 0 if the rectangles do not overlap.
  func intersection(_ other: PixelRect) -> PixelRect {
    // A caller's numbers can be arbitrarily large.
    func end(_ start: Int, _ length: Int) -> Int {
      let (end, overflows) = start.addingReportingOverflow(length)
      return overflows ? (length > 0 ? .max : .min) : end
    }
    func length(_ start: Int, _ end: Int) -> Int {
      let (length, overflows) = end.subtractingReportingOverflow(start)
      return end <= start ? 0 : overflows ? .max : length
    }
    let left = max(x, other.x)
    let top = max(y, other.y)
    return PixelRect(
      x: left, y: top, width: length(left, min(end(x, width), end(other.x, other.width))),
      height: length(top, min(end(y, height), end(other.y, other.height))))
  }

  /// Returns the rectangle in fractions of an image of `size`.
  public func normalized(in size: PixelSize) -> NormalizedRect {
    NormalizedRect(
      x: Double(x) / Double(size.width), y: Double(y) / Double(size.height),
      width: Double(width) / Double(size.width), height: Double(height) / Double(size.height))
  }
}
