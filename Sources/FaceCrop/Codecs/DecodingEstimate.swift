/// What decoding takes, by the header alone. In floating point, so that no header can make it overflow.
struct DecodingEstimate {
  /// Of the decoder's own memory, beside the region's pixels: at its most for any region of the picture.
  var bytes: Double
  /// As ``ImageInfo/cost``.
  var cost: Double
}

extension PixelSize {
  /// Pixels.
  var area: Double { Double(width) * Double(height) }
  var megapixels: Double { area / 1e6 }
}

/// What follows decoding, by the header alone.
struct RenderingEstimate: Hashable, Sendable {
  /// In pixels, as stored.
  let size: PixelSize
  let channels: Int
  /// Whether a region is there twice while it is turned.
  let turnsCopies: Bool
  /// Of the file, and so of the outputs.
  let format: ImageFormat
  let fileBytes: Int
  /// At which regions can be decoded, in eighths.
  let scales: [Int]
  let limits: Limits

  init(_ session: any ImageSession, fileBytes: Int, limits: Limits) {
    self.limits = limits
    let header = session.header
    size = header.size
    channels = header.format.channels
    format = session.format
    turnsCopies = header.orientation != .up && !session.turnsWhileDecoding
    self.fileBytes = fileBytes
    scales = session.scales
  }

  /// Bytes that the region takes behind the decoder: decoded, turned, resized, encoded.
  ///
  /// - Parameter request: nil for a region of the whole picture at full size.
  func bytes(for request: CropRequest? = nil) -> Double {
    let copies = Double(1 + (turnsCopies ? 1 : 0) + (request?.levelsEyes == true ? 1 : 0))
    // Small things, and what the allocator keeps.
    let rest = Double(4 << 20)
    guard let request, !request.sizes.isEmpty else {
      return size.area * copies * Double(channels) + encoding(size.area) + rest
    }
    // The regions of several faces may be the whole picture together.
    let decoded = request.faces == .each ? size.area : min(size.area, decodedArea(for: request.sizes))
    let outputs = request.sizes.reduce(0) { $0 + outputArea($1, enlarges: request.enlarges) }
    return (decoded * copies + outputs) * Double(channels) + encoding(outputs) + rest
  }

  /// What is encoded again in the same format seldom becomes three times as large, and never larger than its pixels. The
  /// encoder's own bytes, and those that are handed out.
  private func encoding(_ area: Double) -> Double {
    let encoder = Codecs.codec(of: format).encoder
    let file = min(area * encoder.largestPixel(channels: channels), 3 * Double(fileBytes) + 65_536)
    return 2 * file + encoder.memory(area: area, channels: channels, limits: limits)
  }

  /// Pixels of a region, at most, at the scale that ``RegionRenderer/scale(from:to:)`` takes for these sizes: the smaller the
  /// region, the larger the scale.
  private func decodedArea(for sizes: [OutputSize]) -> Double {
    let longest = Double(size.longSide)
    return zip([0] + scales, scales).reduce(0) { largest, step in
      let (below, scale) = step
      // The longest side of a region for which the scale below is not enough.
      func side(_ output: Int) -> Double {
        (below == 0 ? longest : min(longest, 32 * Double(output) / Double(below))) * Double(scale) / 8 + 2
      }
      // The other side may be as long as the picture's, where the region has another shape than the output.
      let other = longest * Double(scale) / 8 + 2
      return sizes.reduce(largest) { largest, size in
        switch size {
        case .longSide(let output): max(largest, side(output) * side(output))
        case .exact(let width, let height): max(largest, side(max(width, height)) * other)
        case .width(let output), .height(let output): max(largest, side(output) * other)
        }
      }
    }
  }

  private func outputArea(_ output: OutputSize, enlarges: Bool) -> Double {
    let area =
      switch output {
      case .longSide(let side): Double(side) * Double(side)
      case .exact(let width, let height): Double(width) * Double(height)
      case .width(let side), .height(let side): Double(side) * Double(max(side, size.longSide))
      }
    return enlarges ? area : min(area, size.area)
  }
}

extension Int {
  init(saturating value: Double) {
    self = value >= 9e18 ? .max : Int(value)
  }
}
