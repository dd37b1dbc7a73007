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
    plane.pixels = try unsafe PixelBuffer.filled(size: size, format: .gray, by: body).picture.bytes
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

  /// The conversion of JFIF 1.02 (ITU-T T.871, 7). What chroma adds to luma is worked out once for all rows that share it.
  private init(luma: OverviewPlane, blue: OverviewPlane, red: OverviewPlane) {
    let size = luma.size
    let chroma = ChromaRows(blue: blue, red: red, width: size.width)
    // Samples of a row: three of each pixel, so that the loop over them is of one kind.
    var shifts = [Int16](repeating: 0, count: size.width * 3)
    var luminances = shifts
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size.width * size.height * 3) { output, count in
      for y in 0..<size.height {
        if chroma.changes(at: y) { chroma.fill(&shifts, at: y) }
        for x in 0..<size.width {
          let luminance = Int16(luma.pixels[y * size.width + x])
          for place in 3 * x..<3 * x + 3 { luminances[place] = luminance }
        }
        // Without a check in it, the loop takes eight samples at a time.
        unsafe shifts.withUnsafeBufferPointer { shifts in
          unsafe luminances.withUnsafeBufferPointer { luminances in
            let row = unsafe output.baseAddress! + y * shifts.count
            for place in 0..<shifts.count {
              let sample = unsafe luminances[place] &+ shifts[place]
              unsafe row[place] = UInt8(truncatingIfNeeded: min(max(sample, 0), 255))
            }
          }
        }
      }
      count = size.width * size.height * 3
    }
    self.init(size: size, format: .rgb, bytes: bytes)
  }
}

/// What chroma adds to the luma of an overview's pixels.
private struct ChromaRows {
  private let blue, red: OverviewPlane
  /// For each column, that of a coarser plane: division takes longer than all the rest.
  private let blueColumns, redColumns: [Int]

  init(blue: OverviewPlane, red: OverviewPlane, width: Int) {
    (self.blue, self.red) = (blue, red)
    func columns(of plane: OverviewPlane) -> [Int] {
      (0..<width).map { min($0 / plane.horizontal, plane.size.width - 1) }
    }
    (blueColumns, redColumns) = (columns(of: blue), columns(of: red))
  }

  /// Whether a row's chroma is another than that of the row above.
  func changes(at y: Int) -> Bool { y.isMultiple(of: blue.vertical) || y.isMultiple(of: red.vertical) }

  /// Fills in the shifts of red, green and blue for each pixel of a row; computed with 16 bits behind the point.
  func fill(_ shifts: inout [Int16], at y: Int) {
    func start(of plane: OverviewPlane) -> Int { min(y / plane.vertical, plane.size.height - 1) * plane.size.width }
    let (blues, reds) = (blue.pixels[start(of: blue)...], red.pixels[start(of: red)...])
    unsafe blues.withUnsafeBufferPointer { blues in
      unsafe reds.withUnsafeBufferPointer { reds in
        unsafe shifts.withUnsafeMutableBufferPointer { shifts in
          for x in blueColumns.indices {
            let cb = unsafe Int32(blues[blueColumns[x]]) &- 128
            let cr = unsafe Int32(reds[redColumns[x]]) &- 128
            unsafe shifts[3 &* x] = Int16(truncatingIfNeeded: (91_881 &* cr &+ 32_768) >> 16)
            unsafe shifts[3 &* x &+ 1] = Int16(
              truncatingIfNeeded: (-22_554 &* cb &- 46_802 &* cr &+ 32_768) >> 16)
            unsafe shifts[3 &* x &+ 2] = Int16(truncatingIfNeeded: (116_130 &* cb &+ 32_768) >> 16)
          }
        }
      }
    }
  }
}
