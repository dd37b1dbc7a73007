internal import CJPEGShim

/// A rectangle of MCUs (T.81, A.2), the smallest units that can be cut out.
struct MCURect {
  var columns: Range<Int>
  var rows: Range<Int>

  /// Returns the pixels that the MCUs show of an image.
  func pixels(mcu: PixelSize, in picture: PixelSize) -> PixelRect {
    PixelRect(
      x: columns.lowerBound * mcu.width, y: rows.lowerBound * mcu.height, width: columns.count * mcu.width,
      height: rows.count * mcu.height
    ).intersection(PixelRect(whole: picture, scale: 8))
  }

  var cut: FCJPEGRect {
    FCJPEGRect(
      x: UInt32(columns.lowerBound), y: UInt32(rows.lowerBound), width: UInt32(columns.count),
      height: UInt32(rows.count))
  }
}

extension MCURect {
  /// Creates the rectangle of MCUs, of the size `mcu` in pixels, that touch `rect`.
  init(covering rect: PixelRect, mcu: PixelSize) {
    columns = rect.x / mcu.width..<(rect.x + rect.width + mcu.width - 1) / mcu.width
    rows = rect.y / mcu.height..<(rect.y + rect.height + mcu.height - 1) / mcu.height
  }
}
