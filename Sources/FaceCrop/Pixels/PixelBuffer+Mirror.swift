internal import Glibc

extension PixelBuffer {
  /// Returns the image inside a larger one, mirrored at its edges without repeating them. Towards the outer edge it
  /// fades into a blurred image, and then into the median color.
  ///
  /// It follows the recipe of the FFHQ data set (T. Karras et al., 2019). `m` grows from 0 at the image's edge to 1 at
  /// the outer edge, and falls below 0 inside. The blur has the weight 3 m + 1, and the median m, both between 0 and 1.
  /// `place` is the position of the image, and its right and lower borders are wider than 0, too.
  ///
  /// - Parameter blur: The standard deviation of the Gaussian blur in pixels.
  func mirrored(to output: PixelSize, at place: (x: Int, y: Int), blur: Double) -> PixelBuffer {
    let columns = Self.mirror(width, from: -place.x, count: output.width)
    let rows = Self.mirror(height, from: -place.y, count: output.height)
    let channels = format.channels
    var padded = PixelBuffer(
      size: output, format: format, bytes: [UInt8](repeating: 0, count: output.bytes(channels: channels)))
    unsafe bytes.withUnsafeBufferPointer { from in
      unsafe padded.bytes.withUnsafeMutableBufferPointer { to in
        var index = 0
        for row in rows {
          for column in columns {
            let start = (row * width + column) * channels
            for channel in 0..<channels { unsafe to[index + channel] = unsafe from[start + channel] }
            index += channels
          }
        }
      }
    }
    let before = (x: Float(place.x), y: Float(place.y))
    let behind = (x: Float(output.width - place.x - width), y: Float(output.height - place.y - height))
    func depths(_ count: Int, _ before: Float, _ behind: Float) -> [Float] {
      (0..<count).map { 1 - min(Float($0) / max(before, 1), Float(count - 1 - $0) / max(behind, 1)) }
    }
    let depth = (x: depths(output.width, before.x, behind.x), y: depths(output.height, before.y, behind.y))
    let field = BlurredField(of: padded, deviation: blur)
    padded.mix(depth, weight: { 3 * $0 + 1 }) { field.value($0, $1, $2) }
    let median = padded.median
    padded.mix(depth, weight: { $0 }) { _, _, channel in median[channel] }
    return padded
  }

  /// Returns the samples of a mirrored axis.
  private static func mirror(_ length: Int, from start: Int, count: Int) -> [Int] {
    let period = max(2 * (length - 1), 1)
    return (start..<start + count).map { position in
      let phase = ((position % period) + period) % period
      return length == 1 ? 0 : min(phase, period - phase)
    }
  }

  /// Mixes each pixel with another value, by a weight that follows from the depth in the border.
  private mutating func mix(
    _ depth: (x: [Float], y: [Float]), weight: (_ depth: Float) -> Float,
    with other: (_ column: Int, _ row: Int, _ channel: Int) -> Float
  ) {
    let (channels, width, height) = (format.channels, width, height)
    unsafe bytes.withUnsafeMutableBufferPointer { bytes in
      for row in 0..<height {
        for column in 0..<width {
          let weight = min(max(weight(max(depth.x[column], depth.y[row])), 0), 1)
          if weight == 0 { continue }
          for channel in 0..<channels {
            let index = (row * width + column) * channels + channel
            let value = unsafe Float(bytes[index])
            let mixed = value + (other(column, row, channel) - value) * weight
            unsafe bytes[index] = UInt8(min(max(mixed.rounded(), 0), 255))
          }
        }
      }
    }
  }

  /// The median of each channel.
  private var median: [Float] {
    let channels = format.channels
    var counts = [Int](repeating: 0, count: 256 * channels)
    unsafe bytes.withUnsafeBufferPointer { bytes in
      for index in 0..<bytes.count { counts[unsafe Int(bytes[index]) * channels + index % channels] += 1 }
    }
    return (0..<channels).map { channel in
      var (rest, level) = (bytes.count / channels / 2, 0)
      while counts[level * channels + channel] <= rest, level < 255 {
        rest -= counts[level * channels + channel]
        level += 1
      }
      return Float(level)
    }
  }
}

/// An image blurred by a Gaussian. It is blurred at a lower resolution, which has all its frequencies, and interpolated.
private struct BlurredField {
  private let size: PixelSize
  private let channels: Int
  private let values: [Float]
  private let columns, rows: [(sample: Int, next: Int, weight: Float)]

  init(of picture: PixelBuffer, deviation: Double) {
    let divisor = max((deviation / 4).rounded(.down), 1)
    let small = picture.resampled(to: picture.size.scaled(by: 1 / divisor), filter: .average)
    size = small.size
    channels = picture.format.channels
    // The mean and the interpolation blur, too: by a variance of 1/12 and 1/6 of the small pixels.
    let own = divisor > 1 ? 1.0 / 12 + 1.0 / 6 : 0
    let remaining = max(deviation * deviation / (divisor * divisor) - own, 0).squareRoot()
    values = Self.blurred(small, remaining)
    func taps(_ output: Int, _ input: Int) -> [(sample: Int, next: Int, weight: Float)] {
      (0..<output).map { place in
        let center = (Double(place) + 0.5) * Double(input) / Double(output) - 0.5
        let sample = center.rounded(.down)
        func inside(_ sample: Double) -> Int { min(max(Int(sample), 0), input - 1) }
        return (inside(sample), inside(sample + 1), Float(center - sample))
      }
    }
    columns = taps(picture.width, small.width)
    rows = taps(picture.height, small.height)
  }

  /// Returns the value at a pixel of the image.
  func value(_ column: Int, _ row: Int, _ channel: Int) -> Float {
    let (x, y) = (columns[column], rows[row])
    func at(_ column: Int, _ row: Int) -> Float { values[(row * size.width + column) * channels + channel] }
    let upper = at(x.sample, y.sample) * (1 - x.weight) + at(x.next, y.sample) * x.weight
    let lower = at(x.sample, y.next) * (1 - x.weight) + at(x.next, y.next) * x.weight
    return upper * (1 - y.weight) + lower * y.weight
  }

  /// Returns the samples after two passes, mirrored at the edges with their repetition.
  private static func blurred(_ picture: PixelBuffer, _ deviation: Double) -> [Float] {
    let values = picture.bytes.map(Float.init)
    guard deviation > 0.2 else { return values }
    let reach = Int((4 * deviation + 0.5).rounded(.down))
    var weights = (-reach...reach).map { Float(exp(-0.5 * Double($0 * $0) / (deviation * deviation))) }
    let sum = weights.reduce(0, +)
    for index in weights.indices { weights[index] /= sum }
    let (width, height, channels) = (picture.width, picture.height, picture.format.channels)
    func pass(_ values: [Float], lines: Int, line: Int, length: Int, step: Int) -> [Float] {
      var result = values
      for start in 0..<lines {
        let first = start / channels * line + start % channels
        for place in 0..<length {
          var total: Float = 0
          for tap in -reach...reach {
            let phase = (((place + tap) % (2 * length)) + 2 * length) % (2 * length)
            total += weights[tap + reach] * values[first + min(phase, 2 * length - 1 - phase) * step]
          }
          result[first + place * step] = total
        }
      }
      return result
    }
    let across = pass(values, lines: height * channels, line: width * channels, length: width, step: channels)
    return pass(across, lines: width * channels, line: channels, length: height, step: width * channels)
  }
}
