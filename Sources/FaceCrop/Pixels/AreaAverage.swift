/// Makes a picture smaller by a whole factor while its rows come in: each output pixel is the rounded mean of the `factor` ×
/// `factor` pixels that it stands for, fewer at the right and lower edge. Colors count by their alpha.
struct AreaAverage {
  /// Samples of one output row.
  let width: Int
  private let input: Int
  private let factor: Int
  private let format: PixelBuffer.Format
  /// Of colors times alpha, for RGBA.
  private var sums: [UInt64]
  private var rows = 0

  /// - Parameters:
  ///   - width: pixels of an input row.
  ///   - factor: above 0.
  init(width input: Int, factor: Int, format: PixelBuffer.Format) {
    self.input = input
    self.factor = factor
    self.format = format
    width = (input + factor - 1) / factor
    sums = [UInt64](repeating: 0, count: width * format.channels)
  }

  mutating func add(_ row: UnsafeBufferPointer<UInt8>) {
    rows += 1
    let channels = format.channels
    for column in 0..<width {
      let place = column * channels
      for pixel in column * factor..<min((column + 1) * factor, input) {
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

  /// The mean of the rows since the last one.
  mutating func finish(into output: UnsafeMutableBufferPointer<UInt8>) {
    let channels = format.channels
    for column in 0..<width {
      let place = column * channels
      let area = UInt64(min((column + 1) * factor, input) - column * factor) * UInt64(rows)
      let weight = format == .rgba ? sums[place + 3] : area
      for channel in 0..<(format == .rgba ? 3 : channels) {
        unsafe output[place + channel] = weight == 0 ? 0 : UInt8((sums[place + channel] + weight / 2) / weight)
      }
      if format == .rgba { unsafe output[place + 3] = UInt8((weight + area / 2) / area) }
    }
    for index in sums.indices { sums[index] = 0 }
    rows = 0
  }
}
