/// A JPEG file during one request. It chooses the method of decoding, and falls back to others.
///
/// A small file's coefficients are read once, for both phases, and so are a small image's pixels if detection needs all
/// of them. All methods give the same pixels.
@safe final class JPEGSession: ImageSession {
  let format = ImageFormat.jpeg
  var header: ImageHeader { input.image }
  /// The scales with vector code in libjpeg-turbo. 6 and 7 eighths take longer than the full size. Small images are
  /// decoded whole.
  var scales: [Int] { isSmall ? [8] : Self.fastScales }
  /// The mean difference from full-size decoding, on rings of all frequencies, is up to 0.9 levels; with a ratio of 2.5
  /// it is 1.5.
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
  private var whole = WholePicture()
  /// The number of scans once counted, up to one more than allowed.
  private var scanCount: Int?

  var file: JPEGHeader { input.header }
  private var job: Job { input.job }

  private static let fastScales = [1, 2, 4, 8]
  /// The longer side of an image in pixels above which detection needs only a quarter of it.
  private static let longestWhole = 1_600

  private var keepsCoefficients: Bool {
    let fileBytes = unsafe input.bytes.buffer.count
    return access == .fastest && fileBytes <= JPEGHeader.longestKept
  }

  private var isSmall: Bool {
    access == .fastest && header.size.longSide <= Self.longestWhole
      && WholePicture.isKept(header, limits: job.limits)
  }

  /// The method for regions of files with one scan.
  enum Access {
    /// The index where it is faster.
    case fastest
    /// The index wherever possible, for tests.
    case indexed
    /// Never the index, and all scans by libjpeg, for tests.
    case sequential
  }

  init(
    _ bytes: ImageBytes, allowsDamage: Bool, access: Access = .fastest, job: Job
  ) throws(FaceCropError) {
    input = try JPEGInput(bytes, allowsDamage: allowsDamage, job: job)
    self.access = access
    indexed = IndexedJPEG(input)
    scanned = ScannedJPEG(input, byLibjpeg: access == .sequential)
  }

  /// Checks nothing, because the memory of coefficients is checked with the header.
  func checkMemory() {}

  func gainMap() throws(FaceCropError) -> GainMapSource? { try GainMapSource(of: file, in: input.bytes, job) }

  func admit() throws(FaceCropError) {
    if file.hasSeveralScans { try job.limits.check(.scans, try countedScans()) }
  }

  /// The upper bound of a file in bytes whose scans are counted. A larger file justifies a hundred passes over any
  /// image.
  private static let mostCounted = 8 << 20

  /// Returns the pixels of all scans, because each is a pass over the image.
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
    Decoded(value: value, path: path, faults: input.faults.found)
  }

  // MARK: Overview

  /// Returns the cheapest sufficient scale of an overview in eighths. The scale 1 comes with the walk for the index, or
  /// with the first scan. For an exact overview it is the ratio of all eighths that is nearest to ``Overview/side``,
  /// because the cascades depend on the method of reduction.
  static func overviewScale(for size: PixelSize, smallest: Int, isExact: Bool = false) -> Int {
    guard isExact else { return fastScales.first { size.longSide * $0 / 8 >= smallest } ?? 8 }
    let exact = 8 * Double(Overview.side) / Double(size.longSide)
    let below = min(max(exact.rounded(.down), 1), 8)
    let above = min(below + 1, 8)
    return Int(exact / below < above / exact ? below : above)
  }

  func overview(_ wanted: OverviewRequest) throws(FaceCropError) -> Decoded<PixelBuffer> {
    let look = ProgressSpan(job: job, phase: .overview)
    let scale = Self.overviewScale(for: header.size, smallest: wanted.smallest, isExact: wanted.isExact)
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

  /// Creates an overview from data that must be read anyway; nil if they do not suffice. With `isExact`, the pixels
  /// must equal libjpeg's.
  private func quickOverview(
    scale: Int, isExact: Bool, format: PixelBuffer.Format, _ look: ProgressSpan
  ) throws(FaceCropError) -> Decoded<PixelBuffer>? {
    // All pixels of a small image are decoded once.
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
    // All other files with one scan, damaged ones included, are read from the start to the region's last row.
    let decoder = try input.open()
    try decoder.startRegion(region.rect, scale: region.scale, color: input.color(for: format))
    try input.read(decoder, region.rect.size, format, into: &sink) { (rows) throws(FaceCropError) in
      try input.judge(decoder.damage)
      region.progress.report(rows, of: region.rect.height)
    }
    return .sequential
  }
}

/// Lossless cuts copy a region's bits, with their codes, out of a file with one Huffman-coded scan. The coefficients of
/// other files, and of damaged ones, are decoded and encoded again.
extension JPEGSession: LosslessSession {
  func losslessCut(
    of rect: PixelRect, progress: ProgressSpan, metadata: (_ size: PixelSize) -> CropMetadata
  ) throws(FaceCropError) -> Decoded<(bytes: [UInt8], rect: PixelRect)> {
    func report(_ fraction: Double) { progress.report(fraction, of: header.size.height) }
    if access != .sequential, let cut = try indexed.cut(of: rect, metadata: metadata, progress: report) {
      return decoded(cut, .index)
    }
    return decoded(try scanned.cut(of: rect, metadata: metadata, progress: report), .coefficients)
  }

  /// Completes a cut. The map's blocks lie elsewhere than the image's, so it is encoded again.
  func completed(_ cut: [UInt8], xmp: [UInt8]?, _ map: GainMap?, _ job: Job) throws(FaceCropError) -> [UInt8] {
    guard let map else { return GainMapFile.with(xmp: xmp, cut) }
    let encoded = try JPEGEncoder.encode(EncoderInput(pixels: map.pixels), quality: 95, subsampling: .yuv444, job: job)
    return GainMapFile.joined(cut, xmp: xmp, encoded, map.metadata)
  }
}

extension JPEGSession: BlurSession {
  func blur(
    _ areas: [HiddenArea], by mode: BlurMode, metadata: CropMetadata, progress: ProgressSpan
  ) throws(FaceCropError) -> Decoded<[UInt8]> {
    func report(_ fraction: Double) { progress.report(fraction, of: header.size.height) }
    if access != .sequential, let bytes = try indexed.blur(areas, by: mode, metadata: metadata, progress: report) {
      return decoded(bytes, .index)
    }
    // A file with one scan needs the memory for all coefficients too.
    try job.limits.check(.coefficientBytes, file.coefficientBytes)
    return decoded(
      try scanned.blur(areas, by: mode, metadata: metadata, progress: report), .coefficients)
  }
}
