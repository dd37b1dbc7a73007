internal import Glibc

/// Resizes part of a picture, in two separable passes (G. Wolberg, "Digital Image Warping", 1990, 6): by area average where
/// it becomes half as large or smaller, else with a Lanczos window of three lobes, widened by the ratio when it shrinks.
///
/// It works on the samples as they are stored, in gamma light, as browsers and most libraries do: a picture has the same
/// tones whoever shrinks it. Colors count by their alpha.
struct Resampling {
  /// What an output sample is made of.
  enum Filter {
    /// Area average or the Lanczos window, whichever ``Resampling`` names for the ratio.
    case standard
    /// The mean of what it covers, at any ratio up from 1. Halves become even numbers, as OpenCV's `INTER_AREA` has them: the
    /// cascades' limits were chosen on its pixels.
    case areaAverage
  }

  /// The weights of the input's samples along one axis.
  struct Axis {
    /// Samples of the input.
    let input: Int
    /// For each output sample, the first input sample that it is made of.
    private(set) var starts: [Int]
    /// How many it is made of, at most; `count` weights for each output sample, the last ones 0 where there are fewer.
    let count: Int
    /// Each four times, as ``combine(_:_:into:)`` takes them.
    private(set) var weights: [SIMD4<Float>]

    /// - Parameters:
    ///   - span: the part of the input that becomes the output, in samples; may begin and end inside one.
    ///   - input: samples of the input, above 0.
    ///   - output: samples of the output, above 0.
    init(span: Range<Double>, of input: Int, to output: Int, filter: Filter = .standard) {
      self.input = input
      let step = (span.upperBound - span.lowerBound) / Double(output)
      let isAverage = filter == .areaAverage || step >= 2
      let reach = isAverage ? step / 2 : 3 * max(step, 1)
      count = Int((2 * reach).rounded(.up)) + 1
      starts = []
      weights = []
      starts.reserveCapacity(output)
      weights.reserveCapacity(output * count)
      for place in 0..<output {
        let center = span.lowerBound + (Double(place) + 0.5) * step
        let first = min(max(Int((center - reach).rounded(.down)), 0), input - 1)
        let end = min(max(Int((center + reach).rounded(.up)), first + 1), input)
        var row = (first..<min(end, first + count)).map { sample in
          isAverage
            ? Self.overlap(Double(sample), center - reach, center + reach)
            : Self.lanczos((Double(sample) + 0.5 - center) / max(step, 1))
        }
        let sum = row.reduce(0, +)
        // A span that lies outside the input altogether takes its edge.
        if sum == 0 { row[0] = 1 } else { for index in row.indices { row[index] /= sum } }
        starts.append(first)
        weights.append(contentsOf: row.map { SIMD4(repeating: Float($0)) })
        weights.append(contentsOf: repeatElement(.zero, count: count - row.count))
      }
    }

    /// Samples behind those of a result: each place's are stored four at a time.
    static let padding = 3
    /// Samples behind those of a line, so that all that any place is made of can be loaded, four at a time.
    func padding(channels: Int) -> Int { count * channels + Self.padding }

    /// Weighs the samples of a line, `channels` of which belong together.
    ///
    /// - Parameters:
    ///   - line: the input's, and ``padding(channels:)``.
    ///   - result: the output's, and ``padding``.
    func combine(_ line: [Float], _ channels: Int, into result: inout [Float]) {
      precondition(line.count == input * channels + padding(channels: channels))
      precondition(result.count == starts.count * channels + Self.padding && weights.count == starts.count * count)
      // They ascend, so the last one speaks for all.
      precondition(starts[0] >= 0 && starts[starts.count - 1] < input)
      unsafe line.withUnsafeBufferPointer { line in
        unsafe weights.withUnsafeBufferPointer { weights in
          unsafe result.withUnsafeMutableBytes { result in
            let stride = channels * 4
            var weight = weights.baseAddress!
            var sums = result.baseAddress!
            for start in starts {
              var sample = unsafe UnsafeRawPointer(line.baseAddress! + start &* channels)
              var sum = SIMD4<Float>()
              for _ in 0..<count {
                unsafe sum += weight.pointee * sample.loadUnaligned(as: SIMD4<Float>.self)
                unsafe sample += stride
                unsafe weight += 1
              }
              // The next place's samples are written over what is too much.
              unsafe sums.storeBytes(of: sum, as: SIMD4<Float>.self)
              unsafe sums += stride
            }
          }
        }
      }
    }

    /// The part of the sample that lies between two places.
    private static func overlap(_ sample: Double, _ low: Double, _ high: Double) -> Double {
      max(min(sample + 1, high) - max(sample, low), 0)
    }

    private static func lanczos(_ x: Double) -> Double {
      if abs(x) < 1e-9 { return 1 }
      if abs(x) >= 3 { return 0 }
      return 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
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
