/// Resizes an image whose rows come from the top, as ``Resampling`` has it.
///
/// An image that becomes much smaller is averaged by a whole factor first, to four times the output's sides or more. The window alone would
/// take six products for each sample of it. On rings of all frequencies the result is within 0.7 levels of the window's, in the mean; with
/// three times the sides it would be within 1.0, with two within 2.7.
struct RowResampler: RowSink {
  private var average: AreaAverage
  private var window: WindowResampler

  /// Complete once all rows were taken.
  var picture: PixelBuffer { window.picture }

  /// How many times the output's sides an average leaves.
  private static let leftByAverage = 4.0

  /// - Parameters:
  ///   - horizontal: columns of the input that become the output, in pixels; may begin and end inside one.
  ///   - vertical: rows, likewise.
  ///   - output: in pixels, at least 1 × 1.
  init(
    horizontal: Range<Double>, vertical: Range<Double>, of input: PixelSize, format: PixelBuffer.Format,
    to output: PixelSize, filter: Resampling.Filter = .standard
  ) {
    let factor = filter == .average ? 1 : Self.factor(horizontal: horizontal, vertical: vertical, to: output)
    average = AreaAverage(of: input, factor: factor, format: format)
    func averaged(_ span: Range<Double>) -> Range<Double> {
      span.lowerBound / Double(factor)..<span.upperBound / Double(factor)
    }
    window = WindowResampler(
      horizontal: averaged(horizontal), vertical: averaged(vertical), of: input.divided(by: factor), format: format,
      to: output, filter: filter)
  }

  /// The whole factor, 1 or more, by which both sides are averaged first.
  private static func factor(horizontal: Range<Double>, vertical: Range<Double>, to output: PixelSize) -> Int {
    let (width, height) = (
      horizontal.upperBound - horizontal.lowerBound, vertical.upperBound - vertical.lowerBound
    )
    return max(Int(min(width / Double(output.width), height / Double(output.height)) / leftByAverage), 1)
  }

  mutating func restart() {
    average.restart()
    window.restart()
  }

  mutating func take(_ band: Span<UInt8>, count: Int) {
    average.take(band, count: count, into: &window)
  }
}
