internal import COpenCVShim

extension PixelBuffer {
  /// Returns the image at `place`, which has its size, in a larger one of size `output`. A color of the fill is opaque.
  func padded(to output: PixelSize, at place: PixelRect, fill: PadFill) throws(FaceCropError) -> PixelBuffer {
    precondition(place.size == size, "the place is not of the picture's size")
    switch fill {
    case .color(let red, let green, let blue):
      return surrounded(to: output, at: place, by: pixel(red: red, green: green, blue: blue))
    case .edge: return try surrounded(to: output, at: place, by: .edge)
    case .blur:
      guard format == .rgba else { return try surrounded(to: output, at: place, by: .blur) }
      return try premultiplied().surrounded(to: output, at: place, by: .blur).unpremultiplied().covered(
        by: self, at: place)
    }
  }

  /// Returns an opaque color; in a gray image its luma (ITU-R BT.601).
  func pixel(red: UInt8, green: UInt8, blue: UInt8) -> [UInt8] {
    let thousandths: Int = 299 * Int(red) + 587 * Int(green) + 114 * Int(blue)
    return switch format {
    case .gray: [UInt8((thousandths + 500) / 1_000)]
    case .rgb: [red, green, blue]
    case .rgba: [red, green, blue, 255]
    }
  }

  /// Creates an image of one color.
  init(size: PixelSize, format: Format, pixel: [UInt8]) {
    let row = [UInt8](repeatElement(pixel, count: size.width).joined())
    var bytes: [UInt8] = []
    bytes.reserveCapacity(row.count * size.height)
    for _ in 0..<size.height { bytes += row }
    self.init(size: size, format: format, bytes: bytes)
  }

  /// Returns the image at `place`, which has its size, in a larger one of a color.
  func surrounded(to output: PixelSize, at place: PixelRect, by pixel: [UInt8]) -> PixelBuffer {
    let empty = [UInt8](repeatElement(pixel, count: output.width).joined())
    var bytes: [UInt8] = []
    bytes.reserveCapacity(empty.count * output.height)
    for y in 0..<output.height {
      guard (place.y..<place.y + place.height).contains(y) else {
        bytes += empty
        continue
      }
      let start = (y - place.y) * bytesPerRow
      bytes += empty.prefix(place.x * format.channels)
      bytes += self.bytes[start..<start + bytesPerRow]
      bytes += empty.dropFirst((place.x + place.width) * format.channels)
    }
    return PixelBuffer(size: output, format: format, bytes: bytes)
  }

  /// Returns the image, partly covered by another.
  private func covered(by picture: PixelBuffer, at place: PixelRect) -> PixelBuffer {
    var covered = self
    for y in 0..<place.height {
      let start = ((place.y + y) * width + place.x) * format.channels
      let row = picture.bytes[y * picture.bytesPerRow..<(y + 1) * picture.bytesPerRow]
      covered.bytes.replaceSubrange(start..<start + picture.bytesPerRow, with: row)
    }
    return covered
  }

  private func surrounded(
    to output: PixelSize, at place: PixelRect, by kind: FCPaddingKind
  ) throws(FaceCropError) -> PixelBuffer {
    var padding = FCPadding()
    padding.kind = kind
    padding.left = Int32(place.x)
    padding.top = Int32(place.y)
    return try unsafe seen(at: output) { picture, pixels, message in
      unsafe fcvision_pad(picture, padding, pixels, Int32(output.width), Int32(output.height), &message)
    }
  }
}
