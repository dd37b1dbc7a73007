internal import COpenCVShim

extension PixelBuffer {
  /// The picture in the midst of a larger one.
  ///
  /// - Parameters:
  ///   - output: the larger one's size.
  ///   - place: where the picture lies in it; of its size, and inside.
  ///   - fill: a color is opaque.
  func padded(to output: PixelSize, at place: PixelRect, fill: PadFill) throws(FaceCropError) -> PixelBuffer {
    precondition(place.size == size, "the place is not of the picture's size")
    guard format == .rgba, fill == .blur else { return try surrounded(to: output, at: place, fill: fill) }
    return try premultiplied().surrounded(to: output, at: place, fill: fill).unpremultiplied().covered(
      by: self, at: place)
  }

  /// The picture with another in front of a part of it.
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
    to output: PixelSize, at place: PixelRect, fill: PadFill
  ) throws(FaceCropError) -> PixelBuffer {
    var padding = FCPadding()
    switch fill {
    case .color(let red, let green, let blue):
      padding.kind = .color
      // A gray picture stays gray: the color's luma (ITU-R BT.601).
      let thousandths: Int = 299 * Int(red) + 587 * Int(green) + 114 * Int(blue)
      let luma = UInt8((thousandths + 500) / 1_000)
      padding.color = format == .gray ? (luma, luma, luma) : (red, green, blue)
    case .edge: padding.kind = .edge
    case .blur: padding.kind = .blur
    }
    padding.left = Int32(place.x)
    padding.top = Int32(place.y)
    var message = FCVisionMessage()
    var status = FCVisionStatus.failed
    let byteCount = output.width * output.height * format.channels
    let pixels = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { pixels, count in
      status = unsafe withPicture { picture in
        unsafe fcvision_pad(picture, padding, pixels.baseAddress!, Int32(output.width), Int32(output.height), &message)
      }
      count = status == .ok ? byteCount : 0
    }
    try check(status, message)
    return PixelBuffer(size: output, format: format, bytes: pixels)
  }
}
