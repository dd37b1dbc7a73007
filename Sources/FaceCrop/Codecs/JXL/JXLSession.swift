internal import CJXLShim

/// One JPEG XL file during one request: its first frame, and a reader of all.
///
/// libjxl decodes whole frames only. The first one is decoded once, and kept until the last region. Smaller scales are
/// area averages.
@safe final class JXLSession: ImageSession {
  let format = ImageFormat.jxl
  let header: ImageHeader

  private let decoder: JXLDecoder
  private let job: Job
  /// Whether the colors were converted to XYB for lossy compression.
  private let isLossy: Bool
  /// The channels that libjxl holds: three colors, also for gray, and the extra ones.
  private let channels: Int
  /// The bytes that only versions of libjxl without counted memory need. They are copies of the codestream, to find the
  /// frames, and of a file with extended sizes of boxes. The frames before the shown one have up to the image's area.
  private let uncountedBytes: Int
  private var faults: Faults
  private let bytes: ImageBytes
  private var picture: PixelBuffer?

  init(_ bytes: ImageBytes, allowsDamage: Bool, job: Job) throws(FaceCropError) {
    decoder = try JXLDecoder(reading: bytes, job: job)
    let file = try unsafe decoder.header()
    (self.bytes, self.job) = (bytes, job)
    isLossy = unsafe file.isLossy
    channels = unsafe 3 + Int(file.extraChannels)
    var image = ImageHeader(size: unsafe PixelSize(width: Int(file.width), height: Int(file.height)))
    let kept = image.size.bytes(channels: channels.multipliedClamped(by: 4))
    let streamBytes = unsafe bytes.buffer.count + decoder.copiedBytes
    uncountedBytes = JXLDecoder.countsMemory ? 0 : kept.addingClamped(streamBytes)
    faults = Faults(allowsDamage: allowsDamage, rows: image.size.height)
    image.hasAlpha = unsafe file.hasAlpha
    image.isGray = unsafe file.isGray && !file.hasAlpha
    image.bitsPerSample = unsafe Int(file.bits)
    image.frameCount = unsafe max(Int(file.frameCount), 1)
    image.isAnimated = image.frameCount > 1
    let profile =
      try unsafe file.hasCodePoints
      ? ICCProfile.coded(primaries: Int(file.primaries), transfer: Int(file.transfer)) ?? []
      : ImageBytes.copy(file.profile)
    unsafe image.takeMetadata(
      profile: profile, exif: ImageBytes.copy(file.exif), isGray: file.isGray, &faults)
    image.credits.xmp = unsafe ImageBytes.copy(file.xmp)
    image.credits.isCut = unsafe file.xmp.state == .tooLarge
    // The codestream has the orientation. EXIF data only repeat it.
    image.orientation = unsafe Orientation(rawValue: Int(file.orientation)) ?? .up
    image.faults = faults.found
    header = image
  }

  func frames() throws(FaceCropError) -> (any FrameSource)? {
    try job.limits.check(.heifBytes, heldBytes.addingClamped(keptBytes))
    return try JXLFrames(
      bytes, header, memory: libraryBytes.addingClamped(keptBytes), allowsDamage: faults.allowsDamage, job: job)
  }

  /// The bytes of the frames that libjxl keeps to draw later ones on them: four with a number of 4 bytes for a sample.
  private var keptBytes: Int { header.size.bytes(channels: channels.multipliedClamped(by: 16)) }

  /// The kept frames, and the frame that the process hands over.
  var frameBytes: Double { Double(keptBytes) + Double(header.size.bytes(channels: header.format.channels)) }

  // MARK: Limits

  /// The bytes that libjxl takes per sample: the highest measured value, for a frame of more than 8 bits with alpha and
  /// several resolutions.
  private static let bytesPerSample = 15

  /// The bytes of libjxl's memory for the samples.
  private var sampleBytes: Int {
    header.size.bytes(channels: channels.multipliedClamped(by: Self.bytesPerSample))
  }

  /// The bytes of the image, and of libjxl's memory for the samples.
  private var heldBytes: Int { sampleBytes.addingClamped(header.size.bytes(channels: header.format.channels)) }

  /// The upper bound of libjxl's memory for a frame, whatever the file demands: samples, the header, and the rest.
  private var libraryBytes: Int { sampleBytes.addingClamped(decoder.headerBytes).addingClamped(uncountedBytes) }

  func checkMemory() throws(FaceCropError) {
    try job.limits.check(.regionBytes, header.size.bytes(channels: header.format.channels))
    try job.limits.check(.heifBytes, heldBytes)
  }

  func decodedPixels() -> Int { header.size.bytes(channels: channels - 2) }

  var estimate: DecodingEstimate {
    // The overview is less than twice its final length. It exists with alpha, without, and rotated.
    let side = Double(2 * Overview.side - 1)
    let overview = min(header.size.area, side * side) * 10
    return DecodingEstimate(
      bytes: Double(libraryBytes) + overview + Double(header.size.bytes(channels: header.format.channels)),
      cost: (isLossy ? 8 : 14) * header.size.megapixels * Double(channels) / 3)
  }

  // MARK: Pixels

  func overview(_ wanted: OverviewRequest) throws(FaceCropError) -> Decoded<PixelBuffer> {
    Decoded(value: try whole(ProgressSpan(job: job, phase: .overview)).overview(wanted), faults: faults.found)
  }

  func decode(_ region: RegionRequest, into sink: inout some RowSink) throws(FaceCropError) -> Decoded<Void> {
    let factor = 8 / region.scale
    try job.limits.check(.regionBytes, region.rect.size.bytes(channels: header.format.channels))
    let whole = try whole(region.progress)
    if region.isLast { picture = nil }
    sink.restart()
    whole.give(region.rect, averagedBy: factor, to: &sink)
    region.progress.report(region.rect.height, of: region.rect.height)
    return Decoded(value: (), faults: faults.found)
  }

  private func whole(_ progress: ProgressSpan) throws(FaceCropError) -> PixelBuffer {
    if let picture { return picture }
    try checkMemory()
    let rows = header.size.height
    let made = try decoder.frame(header, memory: libraryBytes, &faults) { progress.report($0, of: rows) }
    progress.report(rows, of: rows)
    picture = made
    return made
  }
}
