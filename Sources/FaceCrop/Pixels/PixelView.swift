/// A part of a picture's pixels as displayed, shared with the picture: cropping and turning copy nothing, ``buffer()`` does
/// both at once in the end.
public struct PixelView: Hashable, Sendable {
  /// What is shared; as stored.
  public let base: PixelBuffer
  /// How the pixels are turned for display.
  public let orientation: Orientation
  /// The part, in pixels of `base`.
  public let storedRect: PixelRect

  /// All of a picture.
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

  /// A part of this part, without a copy.
  ///
  /// - Parameter rect: in pixels of this part as displayed; what of it lies outside is left out.
  /// - Returns: nil when nothing is left.
  public func cropping(to rect: PixelRect) -> PixelView? {
    let inside = rect.intersection(PixelRect(x: 0, y: 0, width: size.width, height: size.height))
    guard inside.width > 0, inside.height > 0 else { return nil }
    var stored = orientation.stored(inside, in: storedRect.size)
    stored.x += storedRect.x
    stored.y += storedRect.y
    return PixelView(base: base, orientation: orientation, storedRect: stored)
  }

  /// The pixels as displayed, row after row without gaps; no copy where that is all of an upright picture.
  public func buffer() -> PixelBuffer {
    let part = storedRect.size == base.size ? base : base.cropped(to: storedRect)
    return part.upright(orientation)
  }
}
