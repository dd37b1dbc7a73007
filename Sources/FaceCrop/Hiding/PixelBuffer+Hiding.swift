extension PixelBuffer {
  /// Replaces the colors in some areas, and those of fully transparent pixels, which can show a face that no search has
  /// seen. Alpha stays.
  mutating func hide(_ areas: [HiddenArea], by mode: HidingMode, _ job: Job) throws(FaceCropError) {
    if format == .rgba { try clearTransparentColors(job) }
    let channels = format.channels
    let colors = format == .rgba ? 3 : channels
    for area in areas {
      let cell = max(Int(area.cell(for: mode).rounded()), 1)
      var seed: UInt64?
      var planes: [HiddenPlane] = []
      for channel in 0..<colors {
        try job.check()
        let source = HiddenPlane.Source(
          unit: cell, size: PixelSize(width: (width + cell - 1) / cell, height: (height + cell - 1) / cell),
          noise: HiddenNoise.luma, solid: 0)
        let plane = try HiddenPlane(area, mode, in: source, seed: seed) { (cells) throws(FaceCropError) in
          means(of: cells, side: cell, channel: channel)
        }
        seed = plane.seed
        planes.append(plane)
      }
      func place(_ y: Double) -> Int { Int(min(max(y, 0), Double(height))) }
      for row in place(area.bounds.y)..<place(area.bounds.maxY.rounded(.up)) {
        if row % 64 == 0 { try job.check() }
        for (channel, plane) in planes.enumerated() {
          let level = plane.levels(row: row)
          plane.forEachSpan(row: row, in: 0..<width) { span in
            for column in span {
              bytes[(row * width + column) * channels + channel] = UInt8(min(max(level(column).rounded(), 0), 255))
            }
          }
        }
      }
    }
  }

  private mutating func clearTransparentColors(_ job: Job) throws(FaceCropError) {
    for row in 0..<height {
      if row % 64 == 0 { try job.check() }
      for pixel in stride(from: row * width * 4, to: (row + 1) * width * 4, by: 4) where bytes[pixel + 3] == 0 {
        for channel in 0..<3 { bytes[pixel + channel] = 0 }
      }
    }
  }

  /// Returns the mean of a channel in each cell of a rectangle of cells.
  private func means(of cells: PixelRect, side: Int, channel: Int) -> [Float] {
    var means: [Float] = []
    for cellRow in cells.y..<cells.y + cells.height {
      for cellColumn in cells.x..<cells.x + cells.width {
        let rows = cellRow * side..<min((cellRow + 1) * side, height)
        let columns = cellColumn * side..<min((cellColumn + 1) * side, width)
        var sum = 0
        for row in rows {
          for column in columns { sum += Int(bytes[(row * width + column) * format.channels + channel]) }
        }
        means.append(Float(sum) / Float(max(rows.count * columns.count, 1)))
      }
    }
    return means
  }
}

/// The amplitudes of the noise in hidden cells, in levels.
enum HiddenNoise {
  static let luma = 12.0
  /// Less, because colored noise would be conspicuous.
  static let chroma = 4.0
}
