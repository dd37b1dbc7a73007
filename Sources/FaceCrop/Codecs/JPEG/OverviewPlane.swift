internal import CJPEGShim

/// One component of an overview: luma, or chroma, which may be sampled more coarsely.
struct OverviewPlane {
  let size: PixelSize
  /// Pixels of the overview that one of the plane's stands for.
  let horizontal: Int
  let vertical: Int
  private(set) var pixels: [UInt8] = []

  init(_ plane: FCJPEGPlane) {
    size = PixelSize(width: Int(plane.width), height: Int(plane.height))
    horizontal = Int(plane.horizontal)
    vertical = Int(plane.vertical)
  }

  func filled(
    by body: (UnsafeMutableBufferPointer<UInt8>) throws(FaceCropError) -> Void
  ) throws(FaceCropError) -> OverviewPlane {
    var plane = self
    plane.pixels = try unsafe PixelBuffer.filled(size: size, format: .gray, by: body).bytes
    return plane
  }
}

extension PixelBuffer {
  /// A picture of its luma, or of luma and chroma, which is repeated where it is coarser.
  ///
  /// - Parameter format: without alpha.
  init(overview planes: [OverviewPlane], format: Format) {
    let luma = planes[0]
    switch (format, planes.count) {
    case (.gray, _): self.init(size: luma.size, format: .gray, bytes: luma.pixels)
    case (_, 1): self = PixelBuffer(size: luma.size, format: .gray, bytes: luma.pixels).inColor()
    default: self.init(luma: luma, blue: planes[1], red: planes[2])
    }
  }

  /// The conversion of JFIF 1.02 (ITU-T T.871, 7), in 16 bits behind the point.
  private init(luma: OverviewPlane, blue: OverviewPlane, red: OverviewPlane) {
    let size = luma.size
    /// For each column, that of a coarser plane: division takes longer than all the rest.
    func columns(of plane: OverviewPlane) -> [Int] {
      (0..<size.width).map { min($0 / plane.horizontal, plane.size.width - 1) }
    }
    let (blueColumns, redColumns) = (columns(of: blue), columns(of: red))
    func clamped(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: min(max(value, 0), 255)) }
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size.width * size.height * 3) { output, count in
      unsafe luma.pixels.withUnsafeBufferPointer { luma in
        unsafe blue.pixels.withUnsafeBufferPointer { blues in
          unsafe red.pixels.withUnsafeBufferPointer { reds in
            var to = 0
            for y in 0..<size.height {
              let blueRow = min(y / blue.vertical, blue.size.height - 1) * blue.size.width
              let redRow = min(y / red.vertical, red.size.height - 1) * red.size.width
              for x in 0..<size.width {
                let luminance = unsafe Int32(luma[y * size.width + x])
                let cb = unsafe Int32(blues[blueRow + blueColumns[x]]) - 128
                let cr = unsafe Int32(reds[redRow + redColumns[x]]) - 128
                unsafe output[to] = clamped(luminance + (91_881 * cr + 32_768) >> 16)
                unsafe output[to + 1] = clamped(luminance + (-22_554 * cb - 46_802 * cr + 32_768) >> 16)
                unsafe output[to + 2] = clamped(luminance + (116_130 * cb + 32_768) >> 16)
                to += 3
              }
            }
          }
        }
      }
      count = size.width * size.height * 3
    }
    self.init(size: size, format: .rgb, bytes: bytes)
  }
}
