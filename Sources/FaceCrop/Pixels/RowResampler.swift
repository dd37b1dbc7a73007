/// A resize of an image that arrives row by row; see ``Resampling``.
///
/// A large reduction first averages by a whole factor, to at least four times the output's sides. The window alone
/// would take six products for each sample. On rings of all frequencies the mean difference from the window is 0.7
/// levels or less. Three times the sides would give 1.0, and twice the sides 2.7.
struct RowResampler: RowSink {
  private var average: AreaAverage
  private var window: WindowResampler

  /// The output, complete after all rows.
  var picture: PixelBuffer { window.picture }

  /// The ratio to the output's sides that the average leaves.
  private static let leftByAverage = 4.0

  /// Creates a resize of the given columns and rows of the input to `output`, at least 1 × 1. They may begin and end
  /// inside a pixel.
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

  /// Returns the whole factor, 1 or more, of the average.
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
