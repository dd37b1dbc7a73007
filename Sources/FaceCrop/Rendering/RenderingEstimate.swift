/// An estimate of the memory after decoding, from the header alone.
struct RenderingEstimate: Hashable, Sendable {
  let size: PixelSize
  let pixels: PixelBuffer.Format
  /// The scales of region decoding, in eighths.
  let scales: [Int]
  /// See ``ImageSession/oversampling``.
  let oversampling: Double
  /// See ``DecodingEstimate/transientBytes``.
  let transientBytes: Double
  let limits: Limits
  /// The frames of an animation; 1 for other images.
  let frames: Int
  /// See ``ImageSession/frameBytes``.
  let frameBytes: Double

  init(_ session: any ImageSession, _ decoding: DecodingEstimate, limits: Limits) {
    transientBytes = decoding.transientBytes
    self.limits = limits
    let header = session.header
    size = header.size
    pixels = header.format
    frames = header.isAnimated ? header.frameCount : 1
    frameBytes = header.isAnimated ? session.frameBytes : 0
    scales = session.scales
    oversampling = session.oversampling
  }

  /// Returns the bytes of a crop beyond its decoder's memory, for the detection pass, or for the decoded region, its
  /// outputs, and encoding. Crops are made one by one. Without `request`, it is a region of the whole image at full
  /// size. `encodedPixels` is the upper bound of pixels to encode per output, which are then copied; nil for all.
  func bytes(for request: CropRequest? = nil, as output: OutputFormat, encodedPixels: Double? = nil) -> Double {
    let background = request.map(backgroundBytes) ?? 0
    return max(renderedBytes(for: request, as: output, encodedPixels) + background, searchedBytes) + Self.rest
      + (request.map { animationBytes(for: $0, as: output) } ?? 0)
  }

  /// Small allocations, the allocator's overhead, and the memory of the head network.
  private static let rest = Double(7 << 20)

  /// The bytes of the detection pass alone, beyond the decoder's memory.
  var searchingBytes: Double { searchedBytes + Self.rest }

  /// The image for the search in tiles, as decoded and in the detector's format, and two copies of a tile.
  private var searchedBytes: Double {
    guard limits.tiles > 1 else { return 0 }
    let tile = Double(Overview.side * Overview.side)
    let area = min(size.area, Double(limits.tiles) * tile)
    return area * Double(pixels == .rgb ? 3 : pixels.channels + 3) + 6 * min(size.area, tile)
  }

  /// Returns the bytes for the frames of an animation, and for its encoders: one for each size of a crop.
  private func animationBytes(for request: CropRequest, as output: OutputFormat) -> Double {
    guard frames > 1, request.search.animation != .first else { return 0 }
    let canvas = size.area * Double(AnimationReader.bytesPerPixel) + frameBytes
    guard request.search.animation == .keep else { return canvas }
    let areas = areas(of: request) ?? [size.area]
    return areas.reduce(canvas) { sum, area in
      sum + Codecs.animationBytes(as: output, area: area, frames: Double(frames), limits: limits)
    }
  }

  /// Returns the areas of a crop's outputs; nil if the region's size is theirs.
  private func areas(of request: CropRequest) -> [Double]? {
    if let template = request.composition.layout.template { return [template.size.area] }
    let areas = request.output.sizes.map { outputArea($0, allowsUpscaling: request.output.allowsUpscaling) }
    return areas.isEmpty ? nil : areas
  }

  /// Returns the bytes for a new background: those of the cut-out, a copy of an output, and an image behind it.
  private func backgroundBytes(for request: CropRequest) -> Double {
    guard let background = request.output.background else { return 0 }
    let frame = request.composition.layout.edge == .pad ? Double(limits.regionBytes) / Double(pixels.channels) : 0
    let area = areas(of: request)?.max() ?? max(size.area, frame)
    var bytes = Double(CutoutEstimate.bytes) + 3 * area
    if pixels != .rgb || background.fill == .transparent { bytes += 7 * area }
    if case .image(let image) = background.fill { bytes += Double(image.memory) + 6 * area }
    return bytes
  }

  private func renderedBytes(
    for request: CropRequest?, as output: OutputFormat, _ encodedPixels: Double?
  ) -> Double {
    let channels = Double(pixels.channels)
    let isCircle = request?.output.isTransparent == true
    func encoded(_ area: Double) -> Double {
      let (area, copy) = encodedPixels.map { (min($0, area), min($0, area) * 4) } ?? (area, 0)
      let encoding = Codecs.encodingBytes(as: output, area: area, format: isCircle ? .rgba : pixels, limits: limits)
      return encoding + copy + (isCircle ? 4 * area : 0)
    }
    if let template = request?.composition.layout.template {
      return chipBytes(of: template) + max(transientBytes, encoded(template.size.area))
    }
    let copies = request?.composition.alignsEyes == true ? 2.0 : 1
    guard let request, !request.output.sizes.isEmpty else {
      // A frame may reach out of the image up to the limit.
      let frame = request?.composition.layout.edge == .pad ? Double(limits.regionBytes) / channels : 0
      return (size.area * copies + frame) * channels + max(transientBytes, encoded(max(size.area, frame)))
    }
    let region =
      request.composition.alignsEyes ? decodedArea(for: request.output.sizes) : heldArea(for: request.output.sizes)
    let outputs = request.output.sizes.map { outputArea($0, allowsUpscaling: request.output.allowsUpscaling) }
    let all = outputs.reduce(0, +)
    // All sizes of a crop are in memory when the first one is encoded.
    return (min(size.area, region) * copies + all) * channels + max(transientBytes, outputs.map(encoded).max() ?? 0)
  }

  /// Returns the upper bound of a region's pixels at the scale that ``RegionRenderer/scale(from:to:oversampling:)``
  /// chooses for these sizes. The smaller the region, the larger the scale.
  func decodedArea(for sizes: [OutputSize]) -> Double {
    let longest = Double(size.longSide)
    return zip([0] + scales, scales).reduce(0) { largest, step in
      let (below, scale) = step
      // The longest side, at this scale, of a region for which the next lower scale is too low.
      func side(_ output: Int) -> Double {
        min(longest, RegionRenderer.longestSide(at: below, for: output, oversampling: oversampling)) * Double(scale) / 8
          + 2
      }
      // The other side may be as long as the image's, if the region's shape differs from the output's.
      let other = longest * Double(scale) / 8 + 2
      return sizes.reduce(largest) { largest, size in
        switch size {
        case .longSide(let output): max(largest, side(output) * side(output))
        case .exact(let width, let height): max(largest, side(max(width, height)) * other)
        case .width(let output), .height(let output): max(largest, side(output) * other)
        // Their bounds replace them.
        case .fit, .cover: largest
        case .filling(_, let output): max(largest, output.map { side($0) * other } ?? other * other)
        }
      }
    }
  }

  /// Returns the upper bound of a region's pixels that are in memory at once: those of a region no larger than its
  /// output along a side. Others are resized while they are decoded.
  private func heldArea(for sizes: [OutputSize]) -> Double {
    sizes.reduce(0) { largest, size in
      switch size {
      case .exact(let width, let height): max(largest, Double(max(width, height)) * Double(self.size.longSide))
      case .filling(_, let side): max(largest, side.map { Double($0) * Double(self.size.longSide) } ?? self.size.area)
      default: max(largest, outputArea(size, allowsUpscaling: true))
      }
    }
  }

  private func outputArea(_ output: OutputSize, allowsUpscaling: Bool) -> Double {
    let area =
      switch output {
      case .longSide(let side): Double(side) * Double(side)
      case .exact(let width, let height): Double(width) * Double(height)
      case .width(let side), .height(let side): Double(side) * Double(max(side, size.longSide))
      case .fit, .cover: outputArea(output.bound, allowsUpscaling: true)
      case .filling(let aspect, let side): side.map { OutputSize.size(aspect, longSide: $0).area } ?? size.area
      }
    return allowsUpscaling ? area : min(area, size.area)
  }
}

/// The memory and cost of cutting out people.
enum CutoutEstimate {
  /// The upper bound of bytes beside the output's own pixels. Seven planes of 16 bytes for 65,536 pixels are most of it.
  /// The rest is the small images and maps, the networks' images, and bands of rows. The last masks, with their images,
  /// take 2 MiB. The window around the people is decoded before the output, and released.
  static let bytes = 15 << 20
  /// The cost of a cut-out, in the unit of ``ImageInfo/cost``. Outputs of 64 pixels took 1.1, and of 256 pixels 2.6.
  static let cost = 2.5
}
