extension PixelBuffer {
  /// Returns the image in RGBA, transparent outside the ellipse that touches its sides. Border pixels are as opaque as
  /// their area inside it, and pixels outside are erased.
  func cutToEllipse() -> PixelBuffer {
    var cut = withAlpha()
    let (radiusX, radiusY) = (Double(width) / 2, Double(height) / 2)
    // The coverage is exact along the row, and sampled down the column.
    let samples = 16
    var coverage = [Double](repeating: 0, count: width)
    for y in 0..<height {
      for x in coverage.indices { coverage[x] = 0 }
      for sample in 0..<samples {
        let distance = (Double(y) + (Double(sample) + 0.5) / Double(samples) - radiusY) / radiusY
        let reach = radiusX * max(1 - distance * distance, 0).squareRoot()
        let (left, right) = (radiusX - reach, radiusX + reach)
        for x in max(Int(left), 0)..<max(min(Int(right.rounded(.up)), width), max(Int(left), 0)) {
          coverage[x] += max(min(Double(x) + 1, right) - max(Double(x), left), 0) / Double(samples)
        }
      }
      for x in 0..<width {
        let place = (y * width + x) * 4
        let alpha = UInt8((Double(cut.bytes[place + 3]) * min(coverage[x], 1)).rounded())
        cut.bytes[place + 3] = alpha
        // Otherwise the colors of transparent pixels could be restored from the file.
        if coverage[x] == 0 || alpha == 0 { for channel in 0..<3 { cut.bytes[place + channel] = 0 } }
      }
    }
    return cut
  }
}
