/// A cache for all pixels of a small image, decoded once for the detection pass and the regions.
struct WholePicture {
  /// The upper bound of a cached image in bytes.
  private static let mostBytes = 4 << 20

  /// Returns the bytes that a cached image takes; 0 if it is too large.
  static func bytes(_ header: ImageHeader, limits: Limits) -> Int {
    let bytes = header.size.bytes(channels: header.format.channels)
    return bytes <= min(mostBytes, limits.regionBytes) ? bytes : 0
  }

  static func isKept(_ header: ImageHeader, limits: Limits) -> Bool { bytes(header, limits: limits) > 0 }

  private var picture: Decoded<PixelBuffer>?

  mutating func keep(_ picture: Decoded<PixelBuffer>) { self.picture = picture }

  /// Passes the rows of a region from the cache. Returns the method that decoded the pixels; nil if the cache is empty.
  mutating func give(_ region: RegionRequest, into sink: inout some RowSink) -> DecodePath? {
    guard let picture else { return nil }
    if region.isLast { self.picture = nil }
    sink.restart()
    picture.value.give(region.rect, averagedBy: 8 / region.scale, to: &sink)
    region.progress.report(region.rect.height, of: region.rect.height)
    return picture.path
  }
}

extension PixelBuffer {
  /// Returns the overview of an image that is in memory.
  func overview(_ wanted: OverviewRequest) throws(FaceCropError) -> PixelBuffer {
    let factor = Overview.factor(for: size)
    var small = self
    if factor > 1 {
      let size = size.divided(by: factor)
      small = try PixelBuffer.decoded(size, format) { (sink) throws(FaceCropError) in
        give(PixelRect(whole: size, scale: 8), averagedBy: factor, to: &sink)
      }.picture
    }
    return try wanted.shrunk(wanted.format == .gray ? small.inGray() : small.inColor())
  }

  /// Passes the rows of a part of the image, reduced by a whole factor.
  func give(_ part: PixelRect, averagedBy factor: Int, to sink: inout some RowSink) {
    let covered = part.enlarged(by: factor, in: size)
    var average = AreaAverage(of: covered.size, factor: factor, format: format)
    forEachBand(of: covered) { rows, count in average.take(rows, count: count, into: &sink) }
  }
}
