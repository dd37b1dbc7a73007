extension PixelBuffer {
  /// Returns the image reduced to at least half its sides by area average. The result equals OpenCV's `INTER_AREA` bit
  /// by bit, because the cascades' thresholds were tuned on its pixels. Rows come first, one tap after the other, and
  /// halves round to even.
  ///
  /// For images without alpha.
  func reduced(to output: PixelSize) -> PixelBuffer {
    let channels = format.channels
    let columns = Resampling.Axis(span: 0..<Double(width), of: width, to: output.width, filter: .average)
    let rows = Resampling.Axis(span: 0..<Double(height), of: height, to: output.height, filter: .average)
    var lines = ReducedLines(of: self, by: columns, to: output.width)
    var sum = [Float](repeating: 0, count: output.width * channels)
    // Adding this constant rounds a number to its low mantissa bits.
    let whole: Float = 0x1p23
    return unsafe PixelBuffer(size: output, format: format) { bytes in
      for place in 0..<output.height {
        for index in sum.indices { sum[index] = 0 }
        for tap in 0..<rows.lengths[place] {
          lines.add(rows.starts[place] + tap, times: rows.weights[place * rows.count + tap], to: &sum)
        }
        for index in sum.indices {
          unsafe bytes[place * sum.count + index] = UInt8(truncatingIfNeeded: (sum[index] + whole).bitPattern)
        }
      }
    }
  }
}

/// The rows of an image, reduced horizontally. The last two are cached, because adjacent output rows share one.
private struct ReducedLines {
  private let picture: PixelBuffer
  private let axis: Resampling.Axis
  /// Each weight four times, because pixels are processed as four samples.
  private let weights: [SIMD4<Float>]
  private var samples: [Float]
  private var lines: [[Float]]
  private var rows = [-1, -1]

  init(of picture: PixelBuffer, by axis: Resampling.Axis, to width: Int) {
    self.picture = picture
    self.axis = axis
    weights = axis.weights.map { SIMD4(repeating: $0) }
    let channels = picture.format.channels
    samples = [Float](repeating: 0, count: picture.bytesPerRow + axis.count * channels + 3)
    lines = [[Float]](repeating: [Float](repeating: 0, count: width * channels + 3), count: 2)
  }

  mutating func add(_ row: Int, times weight: Float, to sum: inout [Float]) {
    if rows[row % 2] != row { reduce(row) }
    unsafe lines[row % 2].withUnsafeBufferPointer { line in
      unsafe sum.withUnsafeMutableBufferPointer { sum in
        for index in 0..<sum.count { unsafe sum[index] += unsafe weight * line[index] }
      }
    }
  }

  private mutating func reduce(_ row: Int) {
    unsafe picture.bytes.withUnsafeBufferPointer { bytes in
      unsafe samples.withUnsafeMutableBufferPointer { samples in
        let bytes = bytes.extracting(row * picture.bytesPerRow..<(row + 1) * picture.bytesPerRow)
        for index in 0..<bytes.count { unsafe samples[index] = unsafe Float(bytes[index]) }
      }
    }
    let stride = picture.format.channels * 4
    unsafe samples.withUnsafeBytes { samples in
      unsafe lines[row % 2].withUnsafeMutableBytes { line in
        unsafe weights.withUnsafeBufferPointer { weights in
          for (place, start) in axis.starts.enumerated() {
            var sum = SIMD4<Float>()
            for tap in 0..<axis.lengths[place] {
              unsafe sum +=
                weights[place &* axis.count &+ tap]
                * samples.loadUnaligned(fromByteOffset: (start &+ tap) &* stride, as: SIMD4<Float>.self)
            }
            // The next pixel overwrites the excess samples.
            unsafe line.storeBytes(of: sum, toByteOffset: place &* stride, as: SIMD4<Float>.self)
          }
        }
      }
    }
    rows[row % 2] = row
  }
}
