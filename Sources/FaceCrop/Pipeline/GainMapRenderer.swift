/// A renderer for the gain maps of an image's crops. It collects warnings for dropped maps.
struct GainMapRenderer {
  private let source: GainMapSource?
  private let size: PixelSize
  private let orientation: Orientation
  private let policy: GainMapPolicy
  private let hasBackground: Bool
  private let job: Job
  /// The warnings, one for each reason.
  private(set) var warnings: [CropWarning] = []

  /// Creates a renderer. `hasBackground` says that the outputs have a new background.
  init(
    of session: any ImageSession, by policy: GainMapPolicy, hasBackground: Bool = false, _ job: Job
  ) throws(FaceCropError) {
    self.hasBackground = hasBackground
    (size, orientation, self.policy, self.job) = (session.header.size, session.header.orientation, policy, job)
    let found = try job.attempt { () throws(FaceCropError) -> GainMapSource? in
      let map = policy == .drop ? nil : try session.gainMap()
      guard map?.isOfShape(session.header.size) != false else { throw .corrupt("the gain map has another shape") }
      return map
    }
    source = found ?? nil
    if found == nil { warnings = [.gainMapDropped(.unusable)] }
  }

  private mutating func note(_ obstacle: GainMapObstacle) {
    let warning = CropWarning.gainMapDropped(obstacle)
    if !warnings.contains(warning) { warnings.append(warning) }
  }

  /// Returns whether a plain crop of this size gets a map, unless decoding fails.
  func isKept(_ output: PixelSize) -> Bool { source != nil && obstacle(output, isPlain: true) == nil }

  private func obstacle(_ output: PixelSize, isPlain: Bool) -> GainMapObstacle? {
    if policy == .otherFormat { return .format }
    if hasBackground { return .background }
    if !isPlain { return .shape }
    return policy == .automatic && output.longSide <= GainMap.largeSide ? .smallOutput : nil
  }

  /// Returns the map of a crop, at the map's scale relative to the image; nil if it is dropped. The region and the
  /// output's size are those as stored. `isPlain` means that the crop is only the region at another size. `turned` is
  /// the orientation to apply, as to the crop.
  mutating func part(
    _ region: PixelRect, output: PixelSize, isPlain: Bool, turned orientation: Orientation
  ) throws(FaceCropError) -> GainMap? {
    guard let source else { return nil }
    if let obstacle = obstacle(output, isPlain: isPlain) {
      note(obstacle)
      return nil
    }
    let map = source.header.size
    func span(_ start: Int, _ length: Int, of whole: Int, in map: Int) -> (pixels: Range<Int>, inner: Range<Double>) {
      let factor = Double(map) / Double(whole)
      let (first, last) = (Double(start) * factor, min(Double(start + length) * factor, Double(map)))
      let pixels = min(Int(first), map - 1)..<min(max(Int(last.rounded(.up)), Int(first) + 1), map)
      return (
        pixels,
        first
          - Double(pixels.lowerBound)..<max(last - Double(pixels.lowerBound), first - Double(pixels.lowerBound) + 1e-3)
      )
    }
    let columns = span(region.x, region.width, of: size.width, in: map.width)
    let rows = span(region.y, region.height, of: size.height, in: map.height)
    func side(_ inner: Range<Double>, _ made: Int, of region: Int) -> Int {
      max(Int(((inner.upperBound - inner.lowerBound) * min(Double(made) / Double(region), 1)).rounded()), 1)
    }
    let rect = PixelRect(
      x: columns.pixels.lowerBound, y: rows.pixels.lowerBound, width: columns.pixels.count, height: rows.pixels.count)
    try job.limits.check(.regionBytes, rect.size.bytes(channels: source.header.format.channels))
    let decoded = try job.attempt { () throws(FaceCropError) in
      try source.session.picture(of: RegionRequest(rect: rect, progress: .silent))
    }
    guard let decoded else {
      note(.unusable)
      return nil
    }
    let pixels = decoded.value.resampled(
      horizontal: columns.inner, vertical: rows.inner,
      to: PixelSize(
        width: side(columns.inner, output.width, of: region.width),
        height: side(rows.inner, output.height, of: region.height)))
    return GainMap(kind: source.metadata.kind, pixels: pixels.upright(orientation), metadata: source.metadata)
  }
}
