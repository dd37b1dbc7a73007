internal import Glibc

/// A resize in two separable passes (G. Wolberg, "Digital Image Warping", 1990, 6), with a Lanczos window of three
/// lobes, widened by the ratio for reductions (C. Duchon, "Lanczos Filtering in One and Two Dimensions", 1979).
///
/// It works on the stored, gamma-encoded samples, like browsers and most libraries, so that all of them give the same
/// tones. Colors are weighted by alpha.
struct Resampling {
  enum Filter {
    case standard
    /// The mean of the covered samples, for ratios from 1: for detectors, which need no sharpened edges.
    case average
  }

  /// The ratio above which the mean replaces the window. ``RowResampler`` leaves less than 8, unless rounding changes
  /// an output's aspect.
  static let largestLanczosRatio = 10.0

  /// The weights of input samples along one axis.
  struct Axis {
    /// The first input sample, and the number of input samples, of each output sample. Starts and ends ascend.
    private(set) var starts: [Int] = []
    private(set) var lengths: [Int] = []
    /// The maximum number of input samples. Each output sample has this number of weights, padded with 0.
    let count: Int
    private(set) var weights: [Float] = []

    /// Creates weights, in `input` samples, for `output` samples, both above 0. The span of the input may begin and end
    /// inside a sample.
    init(span: Range<Double>, of input: Int, to output: Int, filter: Filter = .standard) {
      let step = (span.upperBound - span.lowerBound) / Double(output)
      let isAverage = filter == .average || step > Resampling.largestLanczosRatio
      let reach = isAverage ? step / 2 : 3 * max(step, 1)
      count = Int((2 * reach).rounded(.up)) + 1
      starts.reserveCapacity(output)
      lengths.reserveCapacity(output)
      weights.reserveCapacity(output * count)
      var row: [Double] = []
      for place in 0..<output {
        let center = span.lowerBound + (Double(place) + 0.5) * step
        let first = min(max(Int((center - reach).rounded(.down)), 0), input - 1)
        let end = min(max(Int((center + reach).rounded(.up)), first + 1), input, first + count)
        row.removeAll(keepingCapacity: true)
        if isAverage {
          for sample in first..<end { row.append(Self.overlap(Double(sample), center - reach, center + reach)) }
        } else {
          Self.appendLanczos(
            to: &row, from: (Double(first) + 0.5 - center) / max(step, 1), step: 1 / max(step, 1), end - first)
        }
        while row.count > 1, row.last == 0 { row.removeLast() }
        let sum = row.reduce(0, +)
        // A span outside the input takes its edge.
        if sum == 0 { row = [1] } else { for index in row.indices { row[index] /= sum } }
        starts.append(first)
        lengths.append(row.count)
        for weight in row { weights.append(Float(weight)) }
        weights.append(contentsOf: repeatElement(0, count: count - row.count))
      }
    }

    /// Returns the part of a sample that lies between two positions.
    private static func overlap(_ sample: Double, _ low: Double, _ high: Double) -> Double {
      max(min(sample + 1, high) - max(sample, low), 0)
    }

    /// Appends the window at `count` positions. One sine gives both factors: sin 3a = 3 sin a - 4 sin³ a.
    private static func appendLanczos(to row: inout [Double], from start: Double, step: Double, _ count: Int) {
      // A rotation gives the next sine and cosine from the previous ones.
      let turn = (sin: sin(.pi * step / 3), cos: cos(.pi * step / 3))
      var angle = (sin: sin(.pi * start / 3), cos: cos(.pi * start / 3))
      for index in 0..<count {
        let x = start + Double(index) * step
        if abs(x) < 1e-9 {
          row.append(1)
        } else if abs(x) >= 3 {
          row.append(0)
        } else {
          let third = angle.sin
          row.append(3 * (3 - 4 * third * third) * third * third / (.pi * .pi * x * x))
        }
        angle = (
          angle.sin * turn.cos + angle.cos * turn.sin, angle.cos * turn.cos - angle.sin * turn.sin
        )
      }
    }
  }
}

extension PixelBuffer {
  /// Resizes the image to `output`, at least 1 × 1.
  func resampled(to output: PixelSize, filter: Resampling.Filter = .standard) -> PixelBuffer {
    resampled(horizontal: 0..<Double(width), vertical: 0..<Double(height), to: output, filter: filter)
  }

  /// Resizes the given columns and rows of the image to `output`, at least 1 × 1. They may begin and end inside a
  /// pixel.
  func resampled(
    horizontal: Range<Double>, vertical: Range<Double>, to output: PixelSize, filter: Resampling.Filter = .standard
  ) -> PixelBuffer {
    let whole = horizontal == 0..<Double(width) && vertical == 0..<Double(height)
    if whole && output == size { return self }
    var resampler = RowResampler(
      horizontal: horizontal, vertical: vertical, of: size, format: format, to: output, filter: filter)
    resampler.take(bytes.span, count: height)
    return resampler.picture
  }
}
