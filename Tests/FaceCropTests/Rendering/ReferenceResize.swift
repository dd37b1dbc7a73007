import Glibc
import TestSupport

/// Resizes by the filters' definitions in double precision, as documented. It averages whole squares down to at least
/// four times the output's sides, then applies Lanczos with three lobes.
///
/// - Parameters:
///   - horizontal: The columns that become the output; by default all.
///   - vertical: The rows that become the output; by default all.
func referenceResize(
  _ whole: Pixels, horizontal: Range<Double>? = nil, vertical: Range<Double>? = nil, width: Int, height: Int
) -> Pixels {
  let (across, down) = (horizontal ?? 0..<Double(whole.width), vertical ?? 0..<Double(whole.height))
  func ratio(_ span: Range<Double>, _ output: Int) -> Double { (span.upperBound - span.lowerBound) / Double(output) }
  let factor = max(Int(min(ratio(across, width), ratio(down, height)) / 4), 1)
  let picture = factor == 1 ? whole : referenceMeans(of: whole, by: factor)
  func averaged(_ span: Range<Double>) -> Range<Double> {
    span.lowerBound / Double(factor)..<span.upperBound / Double(factor)
  }
  return referenceWindow(
    picture, columns: referenceWeights(averaged(across), of: picture.width, to: width, longest: 10),
    rows: referenceWeights(averaged(down), of: picture.height, to: height, longest: 10))
}

/// Resizes a whole image only by the window, however wide it is.
func referenceLanczos(_ picture: Pixels, width: Int, height: Int) -> Pixels {
  referenceWindow(
    picture, columns: referenceWeights(0..<Double(picture.width), of: picture.width, to: width, longest: .infinity),
    rows: referenceWeights(0..<Double(picture.height), of: picture.height, to: height, longest: .infinity))
}

private typealias Taps = [(place: Int, weight: Double)]

private func referenceWindow(_ picture: Pixels, columns: [Taps], rows: [Taps]) -> Pixels {
  let (width, height) = (columns.count, rows.count)
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

/// Returns the rounded means of squares; incomplete squares at the right and lower edge average only their own pixels.
private func referenceMeans(of picture: Pixels, by factor: Int) -> Pixels {
  let (width, height) = ((picture.width + factor - 1) / factor, (picture.height + factor - 1) / factor)
  var samples: [UInt8] = []
  for y in 0..<height {
    for x in 0..<width {
      for channel in 0..<picture.channels {
        var (sum, count) = (0, 0)
        for row in y * factor..<min((y + 1) * factor, picture.height) {
          for column in x * factor..<min((x + 1) * factor, picture.width) {
            sum += Int(picture.samples[(row * picture.width + column) * picture.channels + channel])
            count += 1
          }
        }
        samples.append(UInt8((sum + count / 2) / count))
      }
    }
  }
  return Pixels(width: width, height: height, channels: picture.channels, samples: samples)
}

/// Returns the input samples of each output sample: the mean above the longest ratio, else the window.
private func referenceWeights(
  _ span: Range<Double>, of input: Int, to output: Int, longest: Double
) -> [Taps] {
  let step = (span.upperBound - span.lowerBound) / Double(output)
  return (0..<output).map { place in
    let low = span.lowerBound + Double(place) * step
    var taps: Taps = []
    for sample in 0..<input {
      let weight: Double
      if step > longest {
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
