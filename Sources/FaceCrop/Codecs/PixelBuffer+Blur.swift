extension PixelBuffer {
  /// Replaces the pixels in some areas, and clears the colors of transparent pixels, which can show a face that no
  /// search has seen. Alpha can show a face like any color. It stays where all of it is one value.
  mutating func hide(_ areas: [HiddenArea], by mode: BlurMode, _ job: Job) throws(FaceCropError) {
    if format == .rgba { try clearTransparentColors(job) }
    let (channels, alpha) = (format.channels, 3)
    for area in areas {
      let cell = max(Int(area.cell(for: mode).rounded()), 1)
      var seed: UInt64?
      var planes: [(channel: Int, plane: HiddenPlane)] = []
      for channel in 0..<channels {
        try job.check()
        if channel == alpha, try isFlat(channel, in: area, job) { continue }
        let source = HiddenPlane.Source(
          unit: cell, size: PixelSize(width: (width + cell - 1) / cell, height: (height + cell - 1) / cell),
          noise: HiddenPlane.Source.lumaNoise, solid: channel == alpha ? 255 : 0,
          mix: AreaCover.mix(channel, of: channels))
        let plane = try HiddenPlane(area, mode, in: source, seed: seed) { (cells) throws(FaceCropError) in
          means(of: cells, side: cell, channel: channel)
        }
        seed = plane.seed
        planes.append((channel, plane))
      }
      for row in pixels(area.bounds.y, area.bounds.maxY, of: height) {
        if row % 64 == 0 { try job.check() }
        for (channel, plane) in planes {
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

  /// The alpha up to which a pixel counts as transparent: its color changes the pixel by 3 % at most.
  private static let faintest: UInt8 = 8

  /// Returns the pixels along one side, of `most`, that a stretch of an area may touch.
  private func pixels(_ start: Double, _ end: Double, of most: Int) -> Range<Int> {
    func place(_ value: Double) -> Int { Int(min(max(value, 0), Double(most))) }
    return place(start)..<place(end.rounded(.up))
  }

  /// Returns whether a channel has one value in the rectangle around an area.
  private func isFlat(_ channel: Int, in area: HiddenArea, _ job: Job) throws(FaceCropError) -> Bool {
    let columns = pixels(area.bounds.x, area.bounds.maxX, of: width)
    let rows = pixels(area.bounds.y, area.bounds.maxY, of: height)
    func level(_ row: Int, _ column: Int) -> UInt8 { bytes[(row * width + column) * format.channels + channel] }
    for row in rows {
      if row % 64 == 0 { try job.check() }
      guard columns.allSatisfy({ level(row, $0) == level(rows.lowerBound, columns.lowerBound) }) else { return false }
    }
    return true
  }

  private mutating func clearTransparentColors(_ job: Job) throws(FaceCropError) {
    for row in 0..<height {
      if row % 64 == 0 { try job.check() }
      for pixel in stride(from: row * width * 4, to: (row + 1) * width * 4, by: 4)
      where bytes[pixel + 3] <= Self.faintest {
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
