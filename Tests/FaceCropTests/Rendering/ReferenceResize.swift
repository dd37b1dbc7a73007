import Glibc
import TestSupport

/// Resizes as the documentation says, straight from the filters' definitions, in double precision: area average where a
/// side becomes half as long or shorter, else Lanczos of three lobes.
///
/// - Parameters:
///   - horizontal: columns that become the output; all of them unless given.
///   - vertical: rows, likewise.
func referenceResize(
  _ picture: Pixels, horizontal: Range<Double>? = nil, vertical: Range<Double>? = nil, width: Int, height: Int
) -> Pixels {
  let columns = referenceWeights(horizontal ?? 0..<Double(picture.width), of: picture.width, to: width)
  let rows = referenceWeights(vertical ?? 0..<Double(picture.height), of: picture.height, to: height)
  let channels = picture.channels
  var lines: [[Double]] = []
  for y in 0..<picture.height {
    var line: [Double] = []
    line.reserveCapacity(width * channels)
    for taps in columns {
      for channel in 0..<channels {
        var sum = 0.0
        for tap in taps {
          sum += tap.weight * Double(picture.samples[(y * picture.width + tap.place) * channels + channel])
        }
        line.append(sum)
      }
    }
    lines.append(line)
  }
  var samples: [UInt8] = []
  samples.reserveCapacity(width * height * channels)
  for taps in rows {
    for place in 0..<width * channels {
      var sum = 0.0
      for tap in taps { sum += tap.weight * lines[tap.place][place] }
      samples.append(UInt8(min(max(sum.rounded(), 0), 255)))
    }
  }
  return Pixels(width: width, height: height, channels: channels, samples: samples)
}

/// For each output sample, the input samples that it is made of.
private func referenceWeights(
  _ span: Range<Double>, of input: Int, to output: Int
) -> [[(place: Int, weight: Double)]] {
  let step = (span.upperBound - span.lowerBound) / Double(output)
  return (0..<output).map { place in
    let low = span.lowerBound + Double(place) * step
    var taps: [(place: Int, weight: Double)] = []
    for sample in 0..<input {
      let weight: Double
      if step >= 2 {
        weight = max(min(Double(sample + 1), low + step) - max(Double(sample), low), 0)
      } else {
        let x = (Double(sample) + 0.5 - low - step / 2) / max(step, 1)
        weight = abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0
      }
      if weight != 0 { taps.append((sample, weight)) }
    }
    let sum = taps.reduce(0) { $0 + $1.weight }
    return taps.map { ($0.place, $0.weight / sum) }
  }
}

private func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }
