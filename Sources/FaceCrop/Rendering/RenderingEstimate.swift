/// What follows decoding, by the header alone.
struct RenderingEstimate: Hashable, Sendable {
  /// The picture's size as stored, in pixels.
  let size: PixelSize
  let pixels: PixelBuffer.Format
  /// The scales at which regions can be decoded, in eighths.
  let scales: [Int]
  /// See ``ImageSession/oversampling``.
  let oversampling: Double
  /// See ``DecodingEstimate/transientBytes``.
  let transientBytes: Double
  let limits: Limits

  init(_ session: any ImageSession, _ decoding: DecodingEstimate, limits: Limits) {
    transientBytes = decoding.transientBytes
    self.limits = limits
    let header = session.header
    size = header.size
    pixels = header.format
    scales = session.scales
    oversampling = session.oversampling
  }

  /// Bytes that a crop takes beside what its decoder holds: in the detection pass, or decoded, turned, resized, filled, cut, encoded.
  /// Crops are made one after the other.
  ///
  /// - Parameters:
  ///   - request: nil for a region of the whole picture at full size.
  ///   - output: what it is encoded as.
  ///   - encodedPixels: of each output, at most, which are then copied; nil for all of it.
  func bytes(for request: CropRequest? = nil, as output: OutputFormat, encodedPixels: Double? = nil) -> Double {
    // Small things, what the allocator keeps, and the memory of the network that finds heads.
    let rest = Double(7 << 20)
    return max(renderedBytes(for: request, as: output, encodedPixels), searchedBytes) + rest
  }

  /// The version of an image that is searched in tiles, as it is decoded and, unless these are the same, as detectors take it, and two
  /// copies of a tile.
  private var searchedBytes: Double {
    guard limits.tiles > 1 else { return 0 }
    let tile = Double(Overview.side * Overview.side)
    let area = min(size.area, Double(limits.tiles) * tile)
    return area * Double(pixels == .rgb ? 3 : pixels.channels + 3) + 6 * min(size.area, tile)
  }

  private func renderedBytes(
    for request: CropRequest?, as output: OutputFormat, _ encodedPixels: Double?
  ) -> Double {
    let channels = Double(pixels.channels)
    let isCircle = request?.output.shape == .circle
    func encoded(_ area: Double) -> Double {
      let (area, copy) = encodedPixels.map { (min($0, area), min($0, area) * 4) } ?? (area, 0)
      let encoding = Codecs.encodingBytes(as: output, area: area, format: isCircle ? .rgba : pixels, limits: limits)
      return encoding + copy + (isCircle ? 4 * area : 0)
    }
    let copies = request?.composition.levelsEyes == true ? 2.0 : 1
    guard let request, !request.output.sizes.isEmpty else {
      // A frame may reach out of the picture as far as the limit lets it.
      let frame = request?.composition.edge == .pad ? Double(limits.regionBytes) / channels : 0
      return (size.area * copies + frame) * channels + max(transientBytes, encoded(max(size.area, frame)))
    }
    let region =
      request.composition.levelsEyes ? decodedArea(for: request.output.sizes) : heldArea(for: request.output.sizes)
    let outputs = request.output.sizes.map { outputArea($0, enlarges: request.output.enlarges) }
    let all = outputs.reduce(0, +)
    // All sizes of a crop are there when the first of them is encoded.
    return (min(size.area, region) * copies + all) * channels + max(transientBytes, outputs.map(encoded).max() ?? 0)
  }

  /// Pixels of a region, at most, at the scale that ``RegionRenderer/scale(from:to:oversampling:)`` takes for these sizes: the smaller the
  /// region, the larger the scale.
  private func decodedArea(for sizes: [OutputSize]) -> Double {
    let longest = Double(size.longSide)
    return zip([0] + scales, scales).reduce(0) { largest, step in
      let (below, scale) = step
      // The longest side of a region for which the scale below is not enough, at this one.
      func side(_ output: Int) -> Double {
        min(longest, RegionRenderer.longestSide(at: below, for: output, oversampling: oversampling)) * Double(scale) / 8
          + 2
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

  /// Pixels of a region that are in memory together although it is made smaller while it is decoded: of one that is no larger than
  /// its output along a side.
  private func heldArea(for sizes: [OutputSize]) -> Double {
    sizes.reduce(0) { largest, size in
      switch size {
      case .exact(let width, let height): max(largest, Double(max(width, height)) * Double(self.size.longSide))
      default: max(largest, outputArea(size, enlarges: true))
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
