internal import CResampling

/// Resizes an image whose rows come from the top by one filter: no more of them are kept than an output row is made of.
///
/// Rows are added up first, as they are stored, and the sum's pixels then: where a picture becomes smaller, fewer rows are left
/// for the slower step.
struct WindowResampler: RowSink {
  /// Complete once all rows were taken.
  private(set) var picture: PixelBuffer

  private let input: PixelSize
  private let columns: Stretches
  private let rows: Resampling.Axis
  /// Rows of the bands before that are still needed; row n is in place n % its count. Where an output row is made of more than that, which
  /// then is an average, they are added up as they come, and none is kept.
  private var kept: [UInt8]
  private let keepsRows: Bool
  /// The output's row that is under way.
  private var current = 0
  /// Sums of the input's rows, one for each row of the output that is not made yet: of those that are complete, and of the one under way.
  private var sums: [Float]
  private let sumLength: Int
  private var complete = 0
  private var isSum = false
  /// Rows of the output, and room for what is written behind each.
  private var lines: [Float]
  /// The input's row that comes next.
  private var next = 0

  /// The Lanczos window needs no more.
  private static let mostKept = Int((6 * Resampling.largestLanczosRatio).rounded(.up)) + 1

  /// - Parameters:
  ///   - horizontal: columns of the input that become the output, in pixels; may begin and end inside one.
  ///   - vertical: rows, likewise.
  ///   - output: in pixels, at least 1 × 1.
  init(
    horizontal: Range<Double>, vertical: Range<Double>, of input: PixelSize, format: PixelBuffer.Format,
    to output: PixelSize, filter: Resampling.Filter = .standard
  ) {
    self.input = input
    let channels = format.channels
    columns = Stretches(
      Resampling.Axis(span: horizontal, of: input.width, to: output.width, filter: filter), channels: channels)
    rows = Resampling.Axis(span: vertical, of: input.height, to: output.height, filter: filter)
    keepsRows = rows.count <= Self.mostKept
    kept = [UInt8](repeating: 0, count: keepsRows ? min(rows.count, input.height) * input.width * channels : 0)
    sumLength = input.width * channels + columns.padding
    sums = [Float](repeating: 0, count: Stretches.rows * sumLength)
    lines = [Float](repeating: 0, count: Stretches.rows * (output.width * channels + Stretches.writtenBehind))
    picture = PixelBuffer(
      size: output, format: format, bytes: [UInt8](repeating: 0, count: output.width * channels * output.height))
  }

  private var bytesPerRow: Int { input.width * picture.format.channels }

  mutating func restart() {
    next = 0
    current = 0
    complete = 0
    isSum = false
  }

  mutating func take(_ band: Span<UInt8>, count: Int) {
    precondition(band.count == count * bytesPerRow)
    let first = next
    next += count
    unsafe band.withUnsafeBufferPointer { band in
      if keepsRows { unsafe blend(band, first: first) } else { unsafe average(band, first: first) }
    }
  }

  /// Makes all output rows that end in a band, and keeps what of it the next one needs.
  private mutating func blend(_ band: UnsafeBufferPointer<UInt8>, first: Int) {
    while current < picture.height, lastRow(of: current) < next {
      unsafe add(band, first: first)
      finish()
    }
    guard current < picture.height else { return }
    for row in max(first, rows.starts[current])..<max(next, rows.starts[current]) {
      let place = place(of: row)
      let bytes = band.extracting((row - first) * bytesPerRow..<(row - first + 1) * bytesPerRow)
      unsafe kept.withUnsafeMutableBufferPointer { kept in
        _ = unsafe kept.extracting(place..<place + bytes.count).update(fromContentsOf: bytes)
      }
    }
  }

  /// Adds a band's rows to the output rows that they are part of.
  private mutating func average(_ band: UnsafeBufferPointer<UInt8>, first: Int) {
    for row in first..<next {
      guard current < picture.height else { return }
      if row < rows.starts[current] { continue }
      let bytes = band.extracting((row - first) * bytesPerRow..<(row - first + 1) * bytesPerRow)
      unsafe add(bytes, row)
      while current < picture.height, row == lastRow(of: current) {
        finish()
        if current < picture.height, rows.starts[current] <= row { unsafe add(bytes, row) }
      }
    }
  }

  /// The last row that an output row is made of.
  private func lastRow(of place: Int) -> Int { rows.starts[place] + rows.lengths[place] - 1 }

  /// Where a row is kept.
  private func place(of row: Int) -> Int { row % (kept.count / bytesPerRow) * bytesPerRow }

  /// The sum of the rows that the output row under way is made of: of the band, and kept ones.
  private mutating func add(_ band: UnsafeBufferPointer<UInt8>, first: Int) {
    let (start, count) = (rows.starts[current], rows.lengths[current])
    let (samples, channels, slots) = (bytesPerRow, picture.format.channels, kept.count / bytesPerRow)
    unsafe kept.withUnsafeBufferPointer { kept in
      unsafe withUnsafeTemporaryAllocation(of: UnsafePointer<UInt8>.self, capacity: count) { pointers in
        for index in 0..<count {
          let row = start + index
          let isOfBand = row >= first
          let pointer = unsafe (isOfBand ? band : kept).baseAddress! + (isOfBand ? row - first : row % slots) * samples
          unsafe pointers.initializeElement(at: index, to: pointer)
        }
        unsafe rows.weights.withUnsafeBufferPointer { weights in
          unsafe sums.withUnsafeMutableBufferPointer { sums in
            unsafe fcresampling_blend(
              pointers.baseAddress!, weights.baseAddress! + current * rows.count, count, samples, channels, false,
              sums.baseAddress! + complete * sumLength)
          }
        }
      }
    }
  }

  /// Adds one row to the output row under way.
  private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, _ row: Int) {
    var weight = rows.weights[current * rows.count + row - rows.starts[current]]
    var pointer = bytes.baseAddress!
    unsafe sums.withUnsafeMutableBufferPointer { sums in
      unsafe fcresampling_blend(
        &pointer, &weight, 1, bytes.count, picture.format.channels, isSum, sums.baseAddress! + complete * sumLength)
    }
    isSum = true
  }

  /// Ends the output row under way; some at a time are made out of their sums.
  private mutating func finish() {
    current += 1
    complete += 1
    isSum = false
    guard complete == Stretches.rows || current == picture.height else { return }
    columns.combine(sums, rows: complete, of: sumLength, into: &lines)
    if picture.format == .rgba { unpremultiply() }
    let count = picture.bytesPerRow
    unsafe picture.bytes.withUnsafeMutableBufferPointer { bytes in
      unsafe lines.withUnsafeBufferPointer { lines in
        for row in 0..<complete {
          unsafe fcresampling_round(
            lines.baseAddress! + row * (count + Stretches.writtenBehind), count,
            bytes.baseAddress! + (current - complete + row) * count)
        }
      }
    }
    complete = 0
  }

  /// Back from colors times alpha.
  private mutating func unpremultiply() {
    for row in 0..<complete {
      let first = row * (picture.bytesPerRow + Stretches.writtenBehind)
      for start in stride(from: first, to: first + picture.bytesPerRow, by: 4) {
        let alpha = lines[start + 3]
        for index in start..<start + 3 { lines[index] = alpha <= 0 ? 0 : lines[index] / alpha * 255 }
      }
    }
  }
}

/// An axis along a line of pixels, with its weights laid out for ``fcresampling_combine``.
private struct Stretches {
  private let channels: Int
  /// Stretches for each output pixel.
  private let count: Int
  private var starts: [UInt32] = []
  private var weights: [Float]
  /// The first sample behind all that are read.
  private let end: Int

  /// Samples that are read behind the line's own.
  let padding: Int
  /// Samples that are written behind those of the output.
  static let writtenBehind = 3
  /// Rows that are combined at a time.
  static let rows = Int(FCRESAMPLING_ROWS)

  init(_ axis: Resampling.Axis, channels: Int) {
    self.channels = channels
    let lanes = Int(FCRESAMPLING_LANES)
    let pixels = lanes / channels
    count = ((axis.lengths.max() ?? 1) + pixels - 1) / pixels
    padding = count * lanes + lanes
    end = ((axis.starts.last ?? 0) + (count - 1) * pixels) * channels + lanes
    weights = [Float](repeating: 0, count: axis.starts.count * count * lanes)
    starts.reserveCapacity(axis.starts.count)
    for (place, start) in axis.starts.enumerated() {
      starts.append(UInt32(start * channels))
      for tap in 0..<axis.lengths[place] {
        let weight = axis.weights[place * axis.count + tap]
        let first = (place * count + tap / pixels) * lanes + tap % pixels * channels
        for channel in 0..<channels { weights[first + channel] = weight }
      }
    }
  }

  /// - Parameters:
  ///   - sums: the input's samples, and ``padding``, for each of some rows.
  ///   - rows: 1 to ``rows``.
  ///   - length: of a row in `sums`.
  ///   - result: the output's, and ``writtenBehind``, row by row.
  func combine(_ sums: [Float], rows: Int, of length: Int, into result: inout [Float]) {
    let resultLength = starts.count * channels + Self.writtenBehind
    precondition(
      1...Self.rows ~= rows && length >= end && sums.count >= rows * length && result.count >= rows * resultLength)
    unsafe sums.withUnsafeBufferPointer { sums in
      unsafe result.withUnsafeMutableBufferPointer { result in
        unsafe fcresampling_combine(
          rows, sums.baseAddress!, length, starts, weights, count, starts.count, channels, result.baseAddress!,
          resultLength)
      }
    }
  }
}
