/// A view of a part of an image as displayed. Cropping and rotating copy nothing; ``buffer()`` copies once.
public struct PixelView: Hashable, Sendable {
  /// The shared image as stored.
  public let base: PixelBuffer
  /// The orientation for display.
  public let orientation: Orientation
  /// The part, in pixels of `base`.
  public let storedRect: PixelRect

  /// Creates a view of a whole image.
  public init(_ base: PixelBuffer, orientation: Orientation = .up) {
    self.init(
      base: base, orientation: orientation, storedRect: PixelRect(x: 0, y: 0, width: base.width, height: base.height))
  }

  private init(base: PixelBuffer, orientation: Orientation, storedRect: PixelRect) {
    self.base = base
    self.orientation = orientation
    self.storedRect = storedRect
  }

  /// The size as displayed, in pixels.
  public var size: PixelSize { orientation.applied(to: storedRect.size) }
  /// The format of every pixel.
  public var format: PixelBuffer.Format { base.format }

  /// Returns a part of this view, without a copy.
  ///
  /// - Parameter rect: A rectangle in pixels of this view as displayed. It is clipped to the view.
  /// - Returns: Nil if the rectangle lies outside.
  public func cropping(to rect: PixelRect) -> PixelView? {
    let inside = rect.intersection(PixelRect(x: 0, y: 0, width: size.width, height: size.height))
    guard inside.width > 0, inside.height > 0 else { return nil }
    var stored = orientation.stored(inside, in: storedRect.size)
    stored.x += storedRect.x
    stored.y += storedRect.y
    return PixelView(base: base, orientation: orientation, storedRect: stored)
  }

  /// Returns the pixels as displayed, row by row without gaps. A whole upright image is not copied.
  public func buffer() -> PixelBuffer {
    let part = storedRect.size == base.size ? base : base.cropped(to: storedRect)
    return part.upright(orientation)
  }
}
