/// A rectangle in fractional pixels, which may reach out of the image.
struct Frame: Hashable {
  var x: Double
  var y: Double
  var width: Double
  var height: Double

  var maxX: Double { x + width }
  var maxY: Double { y + height }
  var midX: Double { x + width / 2 }
  var midY: Double { y + height / 2 }

  func moved(x: Double, y: Double) -> Frame { Frame(x: x, y: y, width: width, height: height) }
  func scaled(by factor: Double) -> Frame {
    Frame(x: x * factor, y: y * factor, width: width * factor, height: height * factor)
  }

  /// Returns the rectangle in fractions of an image of `size`.
  func normalized(in size: PixelSize) -> NormalizedRect {
    NormalizedRect(
      x: x / Double(size.width), y: y / Double(size.height), width: width / Double(size.width),
      height: height / Double(size.height))
  }
}

extension Frame {
  init(_ rect: PixelRect) {
    self.init(x: Double(rect.x), y: Double(rect.y), width: Double(rect.width), height: Double(rect.height))
  }
}

extension NormalizedRect {
  /// Returns the rectangle in pixels of an image of `size`.
  func frame(in size: PixelSize) -> Frame {
    Frame(
      x: x * Double(size.width), y: y * Double(size.height), width: width * Double(size.width),
      height: height * Double(size.height))
  }
}
