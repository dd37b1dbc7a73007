/// A reduction by a whole factor, row by row. Each output pixel is the rounded mean of `factor` × `factor` pixels, or
/// fewer at the right and lower edges. Colors are weighted by alpha.
struct AreaAverage {
  private let input, output: PixelSize
  private let factor: Int
  private let format: PixelBuffer.Format
  /// The sums of an output row. For RGBA, colors are multiplied by alpha.
  private var sums: [UInt64]
  /// The input rows in the sums, and the input rows in total.
  private var rows = 0
  private var taken = 0
  /// The output rows that were not passed on yet.
  private var band: [UInt8]
  private var bandRows = 0
  private let rowsAtOnce: Int

  /// Creates a reduction of a whole image. With the factor 1, rows are passed on unchanged.
  init(of input: PixelSize, factor: Int, format: PixelBuffer.Format) {
    self.input = input
    self.factor = factor
    self.format = format
    output = input.divided(by: factor)
    let bytesPerRow = factor == 1 ? 0 : output.width * format.channels
    sums = [UInt64](repeating: 0, count: bytesPerRow)
    rowsAtOnce = Band.rows(of: bytesPerRow, height: output.height)
    band = [UInt8](repeating: 0, count: rowsAtOnce * bytesPerRow)
  }

  mutating func restart() {
    for index in sums.indices { sums[index] = 0 }
    (rows, taken, bandRows) = (0, 0, 0)
  }

  /// Takes the next input rows, and passes complete output rows to `sink`.
  mutating func take(_ rows: Span<UInt8>, count: Int, into sink: inout some RowSink) {
    guard factor > 1 else { return sink.take(rows, count: count) }
    let bytesPerRow = input.width * format.channels
    for row in 0..<count {
      unsafe rows.extracting(row * bytesPerRow..<(row + 1) * bytesPerRow).withUnsafeBufferPointer { unsafe add($0) }
      taken += 1
      guard self.rows == factor || taken == input.height else { continue }
      finish()
      if bandRows == rowsAtOnce || taken == input.height {
        sink.take(band.span.extracting(..<(bandRows * sums.count)), count: bandRows)
        bandRows = 0
      }
    }
  }

  private mutating func add(_ row: UnsafeBufferPointer<UInt8>) {
    rows += 1
    let channels = format.channels
    for column in 0..<output.width {
      let place = column * channels
      for pixel in column * factor..<min((column + 1) * factor, input.width) {
        let from = pixel * channels
        if format == .rgba {
          let alpha = unsafe UInt64(row[from + 3])
          for channel in 0..<3 { sums[place + channel] += unsafe UInt64(row[from + channel]) * alpha }
          sums[place + 3] += alpha
        } else {
          for channel in 0..<channels { sums[place + channel] += unsafe UInt64(row[from + channel]) }
        }
      }
    }
  }

  /// Writes the mean of the rows since the previous one.
  private mutating func finish() {
    let channels = format.channels
    let start = bandRows * sums.count
    for column in 0..<output.width {
      let place = column * channels
      let area = UInt64(min((column + 1) * factor, input.width) - column * factor) * UInt64(rows)
      let weight = format == .rgba ? sums[place + 3] : area
      for channel in 0..<(format == .rgba ? 3 : channels) {
        band[start + place + channel] = weight == 0 ? 0 : UInt8((sums[place + channel] + weight / 2) / weight)
      }
      if format == .rgba { band[start + place + 3] = UInt8((weight + area / 2) / area) }
    }
    for index in sums.indices { sums[index] = 0 }
    rows = 0
    bandRows += 1
  }
}

extension PixelSize {
  /// Returns the size divided by a whole factor, rounded up.
  func divided(by factor: Int) -> PixelSize {
    PixelSize(width: (width + factor - 1) / factor, height: (height + factor - 1) / factor)
  }
}
