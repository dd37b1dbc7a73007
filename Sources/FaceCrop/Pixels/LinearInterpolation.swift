/// The position of a sample of an enlarged axis between two input samples (half-pixel centers).
struct LinearTap {
  /// The sum of both weights.
  static let one: Int16 = 2_048

  /// The first of the two input samples. It can be −1, because the edge repeats outside the input.
  let sample: Int
  let first, second: Int16

  /// Creates the position of the output sample `index` of `output`, in `input` samples, both above 0.
  init(_ index: Int, of input: Int, to output: Int) {
    let step = 1 / (Double(output) / Double(input))
    // OpenCV uses single precision.
    let center = Float((Double(index) + 0.5) * step - 0.5)
    let before = center.rounded(.down)
    sample = Int(before)
    func weight(_ part: Float) -> Int16 { Int16((part * Float(Self.one)).rounded(.toNearestOrEven)) }
    first = weight(1 - (center - before))
    second = weight(center - before)
  }
}

extension PixelBuffer {
  /// Enlarges the image, or a part of it, by linear interpolation. For images without alpha. `part` is one of the
  /// output; nil for the whole.
  ///
  /// It uses whole numbers: row sums lose 4 bits, column products 16, and the last 2 are rounded. The result equals
  /// OpenCV's for 8 bits (4.6, modules/imgproc/src/resize.cpp, `INTER_LINEAR`) bit by bit, because the detectors'
  /// thresholds were tuned on its pixels.
  func interpolated(to output: PixelSize, part: PixelRect? = nil) -> PixelBuffer {
    let part = part ?? PixelRect(x: 0, y: 0, width: output.width, height: output.height)
    var lines = LinearLines(of: self, columns: part.x..<part.x + part.width, to: output.width)
    let rowLength = part.width * format.channels
    let byteCount = rowLength * part.height
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { bytes, count in
      for row in 0..<part.height {
        let tap = LinearTap(part.y + row, of: height, to: output.height)
        lines.move(to: tap.sample)
        unsafe lines.blend(tap, into: bytes.extracting(row * rowLength..<(row + 1) * rowLength))
      }
      count = byteCount
    }
    return PixelBuffer(size: part.size, format: format, bytes: bytes)
  }
}

/// Two successive rows of an image, interpolated horizontally.
private struct LinearLines {
  /// The first sample of a column, and the weights of its two pixels.
  private struct Column {
    let start: Int
    let first, second: SIMD4<Float>
  }

  private let picture: PixelBuffer
  private let columns: [Column]
  /// Samples times ``LinearTap/one``, without their last 4 bits.
  private var upper, lower: [Int16]
  private var rows = (-1, -1)
  /// The samples of a row, and their sums. Pixels are processed as four samples.
  private var samples, sums: [Float]

  init(of picture: PixelBuffer, columns: Range<Int>, to width: Int) {
    self.picture = picture
    let channels = picture.format.channels
    self.columns = columns.map { column in
      let tap = LinearTap(column, of: picture.width, to: width)
      // Outside, only the edge counts.
      let isInside = tap.sample >= 0 && tap.sample < picture.width - 1
      return Column(
        start: min(max(tap.sample, 0), picture.width - 1) * channels,
        first: SIMD4(repeating: Float(isInside ? tap.first : LinearTap.one)),
        second: SIMD4(repeating: Float(isInside ? tap.second : 0)))
    }
    upper = [Int16](repeating: 0, count: columns.count * channels)
    lower = upper
    samples = [Float](repeating: 0, count: picture.bytesPerRow + channels + 3)
    sums = [Float](repeating: 0, count: upper.count + 3)
  }

  /// Moves the two lines to `row` and the next one. The image's edge repeats.
  mutating func move(to row: Int) {
    func inside(_ row: Int) -> Int { min(max(row, 0), picture.height - 1) }
    let wanted = (inside(row), inside(row + 1))
    if wanted == rows { return }
    if wanted.0 != rows.1 { interpolate(wanted.0) }
    swap(&upper, &lower)
    if wanted.1 == wanted.0 { lower = upper } else { interpolate(wanted.1) }
    rows = wanted
  }

  /// Writes a row between the two.
  func blend(_ tap: LinearTap, into row: UnsafeMutableBufferPointer<UInt8>) {
    precondition(row.count == upper.count && row.count == lower.count)
    // With 16-bit sums the compiler does not multiply eight values at a time.
    let (first, second) = (Int32(tap.first), Int32(tap.second))
    unsafe upper.withUnsafeBufferPointer { upper in
      unsafe lower.withUnsafeBufferPointer { lower in
        for index in 0..<row.count {
          let sum = unsafe ((first &* Int32(upper[index])) >> 16) &+ ((second &* Int32(lower[index])) >> 16)
          unsafe row[index] = UInt8(truncatingIfNeeded: (sum &+ 2) >> 2)
        }
      }
    }
  }

  /// Interpolates the lower line from `row`.
  private mutating func interpolate(_ row: Int) {
    let channels = picture.format.channels
    unsafe picture.bytes.withUnsafeBufferPointer { bytes in
      unsafe samples.withUnsafeMutableBufferPointer { samples in
        let row = bytes.extracting(row * picture.bytesPerRow..<(row + 1) * picture.bytesPerRow)
        for index in 0..<row.count { unsafe samples[index] = unsafe Float(row[index]) }
      }
    }
    // All sums are whole numbers below 2^20, which floats represent exactly.
    unsafe samples.withUnsafeBytes { samples in
      unsafe sums.withUnsafeMutableBytes { sums in
        unsafe columns.withUnsafeBufferPointer { columns in
          var sum = sums.baseAddress!
          for index in 0..<columns.count {
            let column = unsafe columns[index]
            let first = unsafe samples.baseAddress! + column.start &* 4
            let second = unsafe first + channels &* 4
            // The next pixel overwrites the excess samples.
            unsafe sum.storeBytes(
              of: column.first * first.loadUnaligned(as: SIMD4<Float>.self)
                + column.second * second.loadUnaligned(as: SIMD4<Float>.self), as: SIMD4<Float>.self)
            unsafe sum += channels &* 4
          }
        }
      }
    }
    unsafe sums.withUnsafeBufferPointer { sums in
      unsafe lower.withUnsafeMutableBufferPointer { lower in
        // The addition moves the whole numbers to the low mantissa bits.
        for index in 0..<lower.count {
          unsafe lower[index] = Int16(truncatingIfNeeded: (sums[index] + 0x1p23).bitPattern >> 4)
        }
      }
    }
  }
}
