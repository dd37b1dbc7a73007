/// Resizes a picture whose rows come from the top, as ``Resampling`` has it: no more of them are kept than an output row is made of.
struct RowResampler: RowSink {
  /// Complete once all rows were taken.
  private(set) var picture: PixelBuffer

  private let input: PixelSize
  private let columns, rows: Resampling.Axis
  private let filter: Resampling.Filter
  /// The input's rows that are in use, each resampled along its length; row n is in place n % count. Lanczos needs at most 13,
  /// and of an average's, however many, the next output row needs no more than the last few.
  private var lines: [[Float]]
  private var samples: [Float]
  /// The output's row that is under way, and what it is so far.
  private var current = 0
  private var sum: [Float]
  /// The input's row that comes next.
  private var next = 0

  /// - Parameters:
  ///   - horizontal: columns of the input that become the output, in pixels; may begin and end inside one.
  ///   - vertical: rows, likewise.
  ///   - output: in pixels, at least 1 × 1.
  init(
    horizontal: Range<Double>, vertical: Range<Double>, of input: PixelSize, format: PixelBuffer.Format,
    to output: PixelSize, filter: Resampling.Filter = .standard
  ) {
    self.input = input
    self.filter = filter
    columns = Resampling.Axis(span: horizontal, of: input.width, to: output.width, filter: filter)
    rows = Resampling.Axis(span: vertical, of: input.height, to: output.height, filter: filter)
    let rowLength = output.width * format.channels
    let line = [Float](repeating: 0, count: rowLength + Resampling.Axis.padding)
    lines = [[Float]](repeating: line, count: min(rows.count, 16))
    samples = [Float](
      repeating: 0, count: input.width * format.channels + columns.padding(channels: format.channels))
    sum = [Float](repeating: 0, count: rowLength)
    picture = PixelBuffer(
      size: output, format: format, bytes: [UInt8](repeating: 0, count: rowLength * output.height))
  }

  mutating func restart() {
    next = 0
    current = 0
    clear()
  }

  mutating func take(_ band: Span<UInt8>, count: Int) {
    let bytesPerRow = input.width * picture.format.channels
    let first = next
    next += count
    for row in first..<first + count {
      guard current < picture.height else { return }
      if row < rows.starts[current] { continue }
      read(band.extracting(((row - first) * bytesPerRow)..<((row - first + 1) * bytesPerRow)))
      columns.combine(samples, picture.format.channels, into: &lines[row % lines.count])
      add(row)
      while current < picture.height, row == lastRow(of: current) {
        finish()
        if current < picture.height, rows.starts[current] <= row {
          for kept in rows.starts[current]...row { add(kept) }
        }
      }
    }
  }

  /// The last row that an output row is made of.
  private func lastRow(of place: Int) -> Int { min(rows.starts[place] + rows.count, input.height) - 1 }

  private mutating func clear() {
    for index in sum.indices { sum[index] = 0 }
  }

  /// A row's samples, colors times their alpha.
  private mutating func read(_ row: Span<UInt8>) {
    unsafe row.withUnsafeBufferPointer { row in
      unsafe samples.withUnsafeMutableBufferPointer { samples in
        for index in 0..<row.count { unsafe samples[index] = unsafe Float(row[index]) }
      }
    }
    guard picture.format == .rgba else { return }
    for index in stride(from: 0, to: row.count, by: 4) {
      let alpha = samples[index + 3] / 255
      for color in index..<index + 3 { samples[color] *= alpha }
    }
  }

  /// Adds one of the lines to the output row under way.
  private mutating func add(_ row: Int) {
    let weight = rows.weights[current * rows.count + row - rows.starts[current]].x
    if weight == 0 { return }
    unsafe lines[row % lines.count].withUnsafeBufferPointer { line in
      unsafe sum.withUnsafeMutableBufferPointer { sum in
        for index in 0..<sum.count { unsafe sum[index] += unsafe weight * line[index] }
      }
    }
  }

  private mutating func finish() {
    if picture.format == .rgba { unpremultiply() }
    let first = current * sum.count
    // Adding it leaves nothing behind the point, and the number in the low bits: a conversion that checks its number takes one at
    // a time.
    let whole: Float = 0x1p23
    unsafe picture.bytes.withUnsafeMutableBufferPointer { bytes in
      let row = unsafe bytes.baseAddress! + first
      unsafe sum.withUnsafeBufferPointer { sum in
        switch filter {
        case .standard:
          for index in 0..<sum.count {
            let sample = unsafe min(max(sum[index] + 0.5, 0), 255)
            let nearest = (sample + whole) - whole
            let floor = nearest > sample ? nearest - 1 : nearest
            unsafe row[index] = UInt8(truncatingIfNeeded: (floor + whole).bitPattern)
          }
        case .areaAverage:
          // A mean is within 0…255, and the addition rounds halves to even numbers.
          for index in 0..<sum.count {
            unsafe row[index] = UInt8(truncatingIfNeeded: (sum[index] + whole).bitPattern)
          }
        }
      }
    }
    current += 1
    clear()
  }

  /// Back from colors times alpha.
  private mutating func unpremultiply() {
    for start in stride(from: 0, to: sum.count, by: 4) {
      let alpha = sum[start + 3]
      for index in start..<start + 3 { sum[index] = alpha <= 0 ? 0 : sum[index] / alpha * 255 }
    }
  }
}
