internal import Glibc

/// Resizes part of an image, in two separable passes (G. Wolberg, "Digital Image Warping", 1990, 6), with a Lanczos window of three lobes,
/// widened by the ratio when the image shrinks (C. Duchon, "Lanczos Filtering in One and Two Dimensions", 1979).
///
/// It works on the samples as they are stored, in gamma light, as browsers and most libraries do: an image has the same
/// tones whoever shrinks it. Colors count by their alpha.
struct Resampling {
  /// What an output sample is made of.
  enum Filter {
    /// The Lanczos window.
    case standard
    /// The mean of what it covers, at any ratio up from 1: for detectors, which see no edges sharpened.
    case average
  }

  /// The ratio beyond which the mean is taken in place of the window. ``RowResampler`` leaves less than 8, unless an output's sides are
  /// rounded to another shape than the input's.
  static let largestLanczosRatio = 10.0

  /// The weights of the input's samples along one axis.
  struct Axis {
    /// For each output sample, the first input sample that it is made of, and how many it is made of; both ascend, as do their ends.
    private(set) var starts: [Int] = []
    private(set) var lengths: [Int] = []
    /// The most that one is made of; there are so many weights for each output sample, the last ones 0 where it is made of fewer.
    let count: Int
    private(set) var weights: [Float] = []

    /// - Parameters:
    ///   - span: the part of the input that becomes the output, in samples; may begin and end inside one.
    ///   - input: samples of the input, above 0.
    ///   - output: samples of the output, above 0.
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
        // A span that lies outside the input altogether takes its edge.
        if sum == 0 { row = [1] } else { for index in row.indices { row[index] /= sum } }
        starts.append(first)
        lengths.append(row.count)
        for weight in row { weights.append(Float(weight)) }
        weights.append(contentsOf: repeatElement(0, count: count - row.count))
      }
    }

    /// The part of the sample that lies between two places.
    private static func overlap(_ sample: Double, _ low: Double, _ high: Double) -> Double {
      max(min(sample + 1, high) - max(sample, low), 0)
    }

    /// The window at so many places. The sine of a third of the way gives that of all of it: sin 3a = 3 sin a - 4 sin³ a.
    private static func appendLanczos(to row: inout [Double], from start: Double, step: Double, _ count: Int) {
      // sin and cos of a place from those of the one before it.
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
  /// Part of the picture at another size.
  ///
  /// - Parameters:
  ///   - horizontal: columns of the picture that become the output, in pixels; may begin and end inside one.
  ///   - vertical: rows, likewise.
  ///   - output: in pixels, at least 1 × 1.
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
