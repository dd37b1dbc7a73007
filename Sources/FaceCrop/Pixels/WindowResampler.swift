internal import CResampling

/// A resize, by one filter, of an image that arrives row by row. It stores only the rows of the current output row.
///
/// Rows are added first, as stored, and then the pixels of the sum. A reduction leaves fewer rows for the slower step.
struct WindowResampler: RowSink {
  /// The output, complete after all rows.
  private(set) var picture: PixelBuffer

  private let input: PixelSize
  private let columns: Stretches
  private let rows: Resampling.Axis
  /// Earlier rows that are still needed, as a ring buffer. If an output row consists of too many, which happens only
  /// for averages, rows are added on arrival, and none is stored.
  private var kept: [UInt8]
  private let keepsRows: Bool
  private var current = 0
  /// The sums of input rows, for complete output rows and for the current one.
  private var sums: [Float]
  private let sumLength: Int
  private var complete = 0
  private var isSum = false
  /// The output rows, with room for the samples written behind each.
  private var lines: [Float]
  private var next = 0

  /// The upper bound of stored rows, which suffices for the Lanczos window.
  private static let mostKept = Int((6 * Resampling.largestLanczosRatio).rounded(.up)) + 1

  /// Creates a resize of the given columns and rows of the input to `output`, at least 1 × 1. They may begin and end
  /// inside a pixel.
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

  /// Computes all output rows that end in a band, and stores the rows that the next one needs.
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

  /// Adds a band's rows to their output rows.
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

  /// Returns the last input row of an output row.
  private func lastRow(of place: Int) -> Int { rows.starts[place] + rows.lengths[place] - 1 }

  /// Returns the position of a stored row.
  private func place(of row: Int) -> Int { row % (kept.count / bytesPerRow) * bytesPerRow }

  /// Computes the sum of the current output row from the band and stored rows.
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
            unsafe fcresampling_fastest().pointee.blend(
              pointers.baseAddress!, weights.baseAddress! + current * rows.count, count, samples, channels, false,
              sums.baseAddress! + complete * sumLength)
          }
        }
      }
    }
  }

  /// Adds one row to the current output row.
  private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, _ row: Int) {
    var weight = rows.weights[current * rows.count + row - rows.starts[current]]
    var pointer = bytes.baseAddress!
    unsafe sums.withUnsafeMutableBufferPointer { sums in
      unsafe fcresampling_fastest().pointee.blend(
        &pointer, &weight, 1, bytes.count, picture.format.channels, isSum, sums.baseAddress! + complete * sumLength)
    }
    isSum = true
  }

  /// Ends the current output row. Several are computed from their sums at once.
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
          unsafe fcresampling_fastest().pointee.round(
            lines.baseAddress! + row * (count + Stretches.writtenBehind), count,
            bytes.baseAddress! + (current - complete + row) * count)
        }
      }
    }
    complete = 0
  }

  /// Divides colors by alpha.
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

/// The weights of an axis along a row of pixels, in the layout of ``FCResamplingLoops/combine``.
private struct Stretches {
  private let channels: Int
  /// The stretches of each output pixel.
  private let count: Int
  private var starts: [UInt32] = []
  private var weights: [Float]
  /// The end of all samples that are read.
  private let end: Int

  /// The samples that are read behind the row's own.
  let padding: Int
  /// The samples that are written behind those of the output.
  static let writtenBehind = 3
  /// The rows that are combined at once.
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

  /// Combines 1 to ``rows`` rows of `length` input samples each, with ``padding``, to the output samples, with
  /// ``writtenBehind``, row by row.
  func combine(_ sums: [Float], rows: Int, of length: Int, into result: inout [Float]) {
    let resultLength = starts.count * channels + Self.writtenBehind
    precondition(
      1...Self.rows ~= rows && length >= end && sums.count >= rows * length && result.count >= rows * resultLength)
    unsafe fcresampling_fastest().pointee.combine(
      rows, sums, length, starts, weights, count, starts.count, channels, &result, resultLength)
  }
}
