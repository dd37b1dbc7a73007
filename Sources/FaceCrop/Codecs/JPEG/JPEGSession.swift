/// One JPEG file during one request: it chooses the way to decode, and falls back.
///
/// A small file's coefficients are read once, for both phases, and so are a small picture's pixels where the look needs them all. The
/// pixels are the same on every way.
@safe final class JPEGSession: ImageSession {
  let format = ImageFormat.jpeg
  var header: ImageHeader { input.image }
  /// Those for which libjpeg-turbo has vector code: 6 and 7 eighths take longer than all of it. Small pictures are decoded whole.
  var scales: [Int] { isSmall ? [8] : Self.fastScales }
  /// Rings of all frequencies are within 0.9 levels of those of full size, in the mean; with 2.5 times the pixels, within 1.5.
  let oversampling = 3.3
  var estimate: DecodingEstimate {
    var estimate = file.estimate(fileBytes: unsafe input.bytes.buffer.count, scans: scanCount)
    if file.isOfInks, let profile = file.profile {
      estimate.bytes += Double(ICCProfile.conversionBytes(profile, .cmyk))
    }
    return estimate
  }

  private let input: JPEGInput
  private let access: Access
  private let indexed: IndexedJPEG
  private let scanned: ScannedJPEG
  private let sequential: SequentialJPEG
  private var whole = WholePicture()
  /// Of a file of several scans, once they were counted, at most one more than are allowed.
  private var scanCount: Int?

  var file: JPEGHeader { input.header }
  private var job: Job { input.job }

  private static let fastScales = [1, 2, 4, 8]
  /// Pixels of the longer side of a picture above which a look needs no more than a quarter.
  private static let longestWhole = 1_600

  private var keepsCoefficients: Bool {
    let fileBytes = unsafe input.bytes.buffer.count
    return access == .fastest && fileBytes <= JPEGHeader.longestKept
  }

  private var isSmall: Bool {
    access == .fastest && header.size.longSide <= Self.longestWhole
      && WholePicture.isKept(header, limits: job.limits)
  }

  /// How regions of files of one scan are decoded.
  enum Access {
    /// Through the index where that is faster.
    case fastest
    /// Through the index wherever there is one; for tests.
    case indexed
    /// Never through the index, and all scans by libjpeg; for tests.
    case sequential
  }

  init(
    _ bytes: ImageBytes, allowsDamage: Bool, access: Access = .fastest, job: Job
  ) throws(FaceCropError) {
    input = try JPEGInput(bytes, allowsDamage: allowsDamage, job: job)
    self.access = access
    indexed = IndexedJPEG(input)
    scanned = ScannedJPEG(input, byLibjpeg: access == .sequential)
    sequential = SequentialJPEG(input: input)
  }

  /// What coefficients take is checked with the header.
  func checkMemory() {}

  func gainMap() throws(FaceCropError) -> GainMapSource? { try GainMapSource(of: file, in: input.bytes, job) }

  func admit() throws(FaceCropError) {
    if file.hasSeveralScans { try job.limits.check(.scans, try countedScans()) }
  }

  /// Files of more bytes than these are not read for their scans: so many bytes pay for a hundred passes over any image.
  private static let mostCounted = 8 << 20

  /// Each scan is a pass over the picture.
  func decodedPixels() throws(FaceCropError) -> Int {
    let pixels = header.size.bytes(channels: 1)
    let isCounted = unsafe file.hasSeveralScans && input.bytes.buffer.count <= Self.mostCounted
    return isCounted ? pixels.multipliedClamped(by: max(try countedScans(), 1)) : pixels
  }

  private func countedScans() throws(FaceCropError) -> Int {
    if let scanCount { return scanCount }
    let count = try scanned.countedScans()
    scanCount = count
    return count
  }

  private func decoded<Value>(_ value: Value, _ path: DecodePath) -> Decoded<Value> {
    Decoded(value: value, path: path, warnings: input.warnings)
  }

  // MARK: Overview

  /// The eighths of the full size at which an overview is decoded: the fewest that are enough, of those that take the least time. One
  /// comes with the walk for the index, or with the first scan. Whoever wants all of ``Overview/side`` gets the nearest to it, as a
  /// ratio, of all eighths: what the cascades find depends on how a picture was made smaller.
  static func overviewScale(for size: PixelSize, smallest: Int) -> Int {
    guard smallest >= Overview.side else { return fastScales.first { size.longSide * $0 / 8 >= smallest } ?? 8 }
    let exact = 8 * Double(Overview.side) / Double(size.longSide)
    let below = min(max(exact.rounded(.down), 1), 8)
    let above = min(below + 1, 8)
    return Int(exact / below < above / exact ? below : above)
  }

  func overview(_ wanted: OverviewRequest) throws(FaceCropError) -> Decoded<PixelBuffer> {
    let look = ProgressSpan(job: job, phase: .look)
    let scale = Self.overviewScale(for: header.size, smallest: wanted.smallest)
    let quick = try quickOverview(scale: scale, isExact: wanted.isExact, format: wanted.format, look)
    if let quick { return quick.with(try wanted.shrunk(quick.value)) }
    if isSmall, wanted.format == header.format || header.isGray {
      let region = RegionRequest(rect: PixelRect(whole: header.size, scale: 8), isLast: true, progress: look)
      let all = try picture(of: region, format: header.format)
      whole.keep(all)
      let small = try wanted.shrunk(all.value)
      return all.with(wanted.format == .gray ? small : small.inColor())
    }
    let region = RegionRequest(rect: PixelRect(whole: header.size, scale: scale), scale: scale, progress: look)
    let overview = try picture(of: region, format: wanted.format)
    return overview.with(try wanted.shrunk(overview.value))
  }

  /// An overview from what has to be read in any case; nil where that does not give one.
  ///
  /// - Parameter isExact: whether it has to have the pixels of libjpeg's.
  private func quickOverview(
    scale: Int, isExact: Bool, format: PixelBuffer.Format, _ look: ProgressSpan
  ) throws(FaceCropError) -> Decoded<PixelBuffer>? {
    // All pixels of a small picture are decoded once.
    if isSmall, isExact || scale == 8 { return nil }
    if file.hasSeveralScans {
      return try scanned.overview(scale: scale, format: format, progress: look).map { decoded($0, .coefficients) }
    }
    let keepsCoefficients = !isExact && keepsCoefficients
    guard scale <= (isExact ? 1 : keepsCoefficients ? 4 : 2), access != .sequential else { return nil }
    return try indexed.overview(scale: scale, format: format, keepsCoefficients: keepsCoefficients)
      .map { decoded($0, .index) }
  }

  private func picture(
    of region: RegionRequest, format: PixelBuffer.Format
  ) throws(FaceCropError) -> Decoded<PixelBuffer> {
    let (picture, path) = try PixelBuffer.decoded(region.rect.size, format) { (sink) throws(FaceCropError) in
      try decode(region, format: format, into: &sink)
    }
    return decoded(picture, path)
  }

  // MARK: Regions

  func decode(_ region: RegionRequest, into sink: inout some RowSink) throws(FaceCropError) -> Decoded<Void> {
    if region.scale == 8, let path = whole.give(region, into: &sink) { return decoded((), path) }
    return decoded((), try decode(region, format: header.format, into: &sink))
  }

  private func decode(
    _ region: RegionRequest, format: PixelBuffer.Format, into sink: inout some RowSink
  ) throws(FaceCropError) -> DecodePath {
    try job.limits.check(.regionBytes, region.rect.size.bytes(channels: format.channels))
    sink.restart()
    if file.hasSeveralScans {
      try scanned.decode(region, format: format, into: &sink)
      return .coefficients
    }
    let usesIndex =
      switch access {
      case .fastest: indexed.isWorthwhile(for: region.rect, scale: region.scale)
      case .indexed: true
      case .sequential: false
      }
    if usesIndex {
      if try indexed.decode(region, format: format, into: &sink) { return .index }
      sink.restart()
    }
    try sequential.decode(region, format: format, into: &sink)
    return .sequential
  }
}

/// Out of a file of one Huffman-coded scan the region's bits are cut, with the codes that they have; of all others, and of
/// damaged ones, the coefficients are read and written anew.
extension JPEGSession: LosslessSession {
  func losslessCut(
    of rect: PixelRect, progress: ProgressSpan, metadata: (_ size: PixelSize) -> CropMetadata
  ) throws(FaceCropError) -> Decoded<(bytes: [UInt8], rect: PixelRect)> {
    let rows = header.size.height
    func report(_ fraction: Double) { progress.report(Int(fraction * Double(rows)), of: rows) }
    if access != .sequential, let cut = try indexed.cut(of: rect, metadata: metadata, progress: report) {
      return decoded(cut, .index)
    }
    return decoded(try scanned.cut(of: rect, metadata: metadata, progress: report), .coefficients)
  }

  /// The map's blocks lie elsewhere than the picture's, so it is encoded again.
  func completed(_ cut: [UInt8], xmp: [UInt8]?, _ map: GainMap?, _ job: Job) throws(FaceCropError) -> [UInt8] {
    guard let map else { return GainMapFile.with(xmp: xmp, cut) }
    let encoded = try JPEGEncoder.encode(RenderedCrop(of: map), quality: 95, subsampling: .yuv444, job: job)
    return GainMapFile.joined(cut, xmp: xmp, encoded, map.metadata)
  }
}
