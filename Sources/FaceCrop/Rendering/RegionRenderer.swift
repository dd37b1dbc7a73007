/// Makes the outputs of one crop: decodes its region once, no finer than the largest output needs, turns it upright, and
/// brings it to every size.
struct RegionRenderer {
  let session: any ImageSession
  /// In pixels of the picture as displayed.
  let region: PixelRect
  /// What the outputs show; reaches out of the picture where it is larger than the region.
  let frame: PixelRect
  let fill: PadFill

  init(_ crop: CropPlan.Crop, in picture: PixelSize, edge: EdgePolicy, session: any ImageSession) {
    self.session = session
    region = PixelRect(covering: crop.region, in: picture)
    frame = crop.frame.map { PixelRect(rounding: $0, in: picture) } ?? region
    fill = if case .pad(let fill) = edge { fill } else { .edge }
  }

  /// - Parameters:
  ///   - sizes: of the outputs, whole frames; one of the frame's own size is the region's pixels as they are.
  ///   - part: which of how many regions of the picture this is, for progress.
  func pictures(
    sizes: [PixelSize], limits: Limits, part: (index: Int, count: Int)
  ) throws(FaceCropError) -> [PixelBuffer] {
    // A stranger's plan may have a frame, and a caller sizes, of any number of pixels.
    for size in sizes { try limits.check(.regionBytes, size.width * size.height * session.header.format.channels) }
    let wanted = Self.scale(from: frame.size, to: sizes)
    let decoded = try decode(scale: session.scales.first { $0 >= wanted } ?? 8, part: part)

    // From the largest to the smallest: an output that is twice as large as all that are left, or more, stands in for the
    // region, unless it is larger than that was decoded.
    var pictures: [Int: PixelBuffer] = [:]
    var source = decoded
    var rest = sizes.indices.sorted { sizes[$0].longSide > sizes[$1].longSide }[...]
    while let place = rest.popFirst() {
      let size = sizes[place]
      let picture = source.resampled(to: inner(of: size).size)
      pictures[place] = try padded(picture, to: size)
      let isEnough =
        picture.size.shortSide >= 128 && size.width <= frame.width && size.height <= frame.height
        && rest.allSatisfy { sizes[$0].width * 2 <= size.width && sizes[$0].height * 2 <= size.height }
      if isEnough {
        source = Source(picture: picture, horizontal: 0..<Double(picture.width), vertical: 0..<Double(picture.height))
      }
    }
    return sizes.indices.map { pictures[$0]! }
  }

  /// The eighths at which the codec decodes, if it can: the fewest that leave four times the pixels of the largest output
  /// along each side, which the resampling then makes the best of. With twice the pixels, small outputs are up to 4 levels
  /// from those of a full decode, in the mean; with four times, they are within 2 whatever the picture.
  static func scale(from frame: PixelSize, to sizes: [PixelSize]) -> Int {
    let ratio = sizes.reduce(0) { largest, size in
      max(largest, Double(size.width) / Double(frame.width), Double(size.height) / Double(frame.height))
    }
    return min(max(Int((32 * ratio).rounded(.up)), 1), 8)
  }

  /// Decoded pixels, and where the region lies in them.
  private struct Source {
    var picture: PixelBuffer
    var horizontal: Range<Double>
    var vertical: Range<Double>

    func resampled(to size: PixelSize) -> PixelBuffer {
      picture.resampled(horizontal: horizontal, vertical: vertical, to: size)
    }
  }

  private func decode(scale: Int, part: (index: Int, count: Int)) throws(FaceCropError) -> Source {
    let header = session.header
    let stored = header.orientation.stored(region, in: header.size)
    // The whole pixels that the region touches at this scale, and, in eighths of them, where in these it lies.
    func span(_ start: Int, _ length: Int) -> Range<Int> { start * scale / 8..<((start + length) * scale + 7) / 8 }
    let columns = span(stored.x, stored.width)
    let rows = span(stored.y, stored.height)
    let rect = PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    let eighths = header.orientation.displayed(
      PixelRect(
        x: stored.x * scale - rect.x * 8, y: stored.y * scale - rect.y * 8, width: stored.width * scale,
        height: stored.height * scale),
      in: PixelSize(width: rect.width * 8, height: rect.height * 8))
    return Source(
      picture: try session.region(rect, scale: scale, part: part).upright(header.orientation),
      horizontal: Double(eighths.x) / 8..<Double(eighths.x + eighths.width) / 8,
      vertical: Double(eighths.y) / 8..<Double(eighths.y + eighths.height) / 8)
  }

  // MARK: Frames that reach out of the picture

  /// Where the region lies in an output that shows the frame.
  private func inner(of output: PixelSize) -> PixelRect {
    func span(_ start: Int, _ length: Int, _ frame: Int, _ output: Int) -> Range<Int> {
      let factor = Double(output) / Double(frame)
      let first = min(max(Int((Double(start) * factor).rounded()), 0), output - 1)
      return first..<min(max(Int((Double(start + length) * factor).rounded()), first + 1), output)
    }
    let columns = span(region.x - frame.x, region.width, frame.width, output.width)
    let rows = span(region.y - frame.y, region.height, frame.height, output.height)
    return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }

  private func padded(_ picture: PixelBuffer, to output: PixelSize) throws(FaceCropError) -> PixelBuffer {
    guard frame != region else { return picture }
    return try picture.padded(to: output, at: inner(of: output), fill: fill)
  }
}
