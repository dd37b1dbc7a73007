internal import CResampling

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
    return unsafe PixelBuffer(size: part.size, format: format) { bytes in
      for row in 0..<part.height {
        let tap = LinearTap(part.y + row, of: height, to: output.height)
        lines.move(to: tap.sample)
        unsafe lines.blend(tap, into: bytes.extracting(row * rowLength..<(row + 1) * rowLength))
      }
    }
  }
}

/// Two successive rows of an image, interpolated horizontally.
private struct LinearLines {
  private let picture: PixelBuffer
  /// The first sample of each column, and the weights of its two pixels.
  private let starts: [UInt32]
  private let weights: [Int32]
  /// Samples times ``LinearTap/one``, without their last 4 bits, and one more.
  private var upper, lower: [Int16]
  private var rows = (-1, -1)
  /// The samples of a row, and those that are read behind it.
  private var samples: [UInt8]

  init(of picture: PixelBuffer, columns: Range<Int>, to width: Int) {
    self.picture = picture
    let channels = picture.format.channels
    let taps = columns.map { LinearTap($0, of: picture.width, to: width) }
    starts = taps.map { UInt32(min(max($0.sample, 0), picture.width - 1) * channels) }
    weights = taps.flatMap { tap in
      // Outside, only the edge counts.
      let isInside = tap.sample >= 0 && tap.sample < picture.width - 1
      return [Int32(isInside ? tap.first : LinearTap.one), Int32(isInside ? tap.second : 0)]
    }
    upper = [Int16](repeating: 0, count: columns.count * channels + 1)
    lower = upper
    samples = [UInt8](repeating: 0, count: picture.bytesPerRow + Int(FCRESAMPLING_LANES))
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
    precondition(row.count < upper.count && row.count < lower.count)
    unsafe fcresampling_fastest().pointee.between(upper, lower, tap.first, tap.second, row.count, row.baseAddress!)
  }

  /// Interpolates the lower line from `row`.
  private mutating func interpolate(_ row: Int) {
    let length = picture.bytesPerRow
    samples.replaceSubrange(..<length, with: picture.bytes[row * length..<(row + 1) * length])
    unsafe fcresampling_fastest().pointee.interpolate(
      samples, starts, weights, starts.count, picture.format.channels, &lower)
  }
}
