internal import CWebPShim

/// A WebP file during one request; the first frame of an animation. Unless it is small, it is decoded again for each
/// detection pass, which libwebp scales, and for each region, which decodes only the necessary part.
@safe final class WebPSession: ImageSession {
  let format = ImageFormat.webp
  let header: ImageHeader
  /// Full size, the only scale. libwebp scales whole images, but not to a grid that regions could share.
  let scales = [8]

  private let bytes: ImageBytes
  private let decoder: WebPDecoder
  private let isComplete: Bool
  private let isLossless: Bool
  private let job: Job
  private var whole = WholePicture()
  private var faults: Faults
  private var isJudged = false

  init(_ bytes: ImageBytes, allowsDamage: Bool, job: Job) throws(FaceCropError) {
    self.bytes = bytes
    decoder = try WebPDecoder(reading: bytes, job: job)
    let file = try unsafe decoder.header()
    self.job = job
    isComplete = unsafe file.isComplete
    isLossless = unsafe file.compression == .lossless
    var image = ImageHeader(size: unsafe PixelSize(width: Int(file.width), height: Int(file.height)))
    faults = Faults(allowsDamage: allowsDamage, rows: image.size.height)
    image.hasAlpha = unsafe file.hasTransparency
    image.isAnimated = unsafe file.isAnimated
    image.frameCount = unsafe Int(file.frameCount)
    let profile = unsafe ImageBytes.copy(file.profile)
    image.takeMetadata(
      profile: profile.isEmpty ? nil : profile, exif: unsafe ImageBytes.copy(file.exif), &faults)
    image.credits.take(\.xmp, of: unsafe file.xmp.count) { unsafe ImageBytes.copy(file.xmp) }
    image.faults = faults.found
    header = image
    let codeBytes =
      image.isAnimated
      ? try unsafe EmbeddedWebP.codeBytes(
        ofFramesIn: bytes.buffer.span, most: job.limits.imageBytes, job: job) : 0
    frameBytes = 5 * image.size.area + Double(codeBytes)
  }

  func frames() throws(FaceCropError) -> (any FrameSource)? {
    try WebPFrames(bytes, allowsDamage: faults.allowsDamage, job: job)
  }

  /// A later frame may be coded in another way than the first one: lossy with alpha takes the most, without codes.
  let frameBytes: Double

  func checkMemory() throws(FaceCropError) {
    do {
      try check(PixelRect(whole: header.size, scale: 8), size: overviewSize)
    } catch {
      // If the memory is unknown, decoding fails later.
      if case .overLimit = error { throw error }
    }
  }

  private func check(_ rect: PixelRect, size: PixelSize) throws(FaceCropError) {
    let bytes = size.bytes(channels: header.format.channels)
    try job.limits.check(.regionBytes, bytes)
    try job.limits.check(
      .imageBytes, try decoder.memory(for: rect, size: size, format: header.format).addingClamped(bytes))
  }

  var estimate: DecodingEstimate {
    let size = header.size
    let whole = PixelRect(whole: size, scale: 8)
    // A lossy image without its last column needs a copy, unlike the whole one.
    let part = PixelRect(x: 0, y: 0, width: max(size.width - 1, 1), height: size.height)
    // If the memory is unknown, decoding fails too.
    let bytes =
      [whole, part].map { (try? decoder.memory(for: $0, size: $0.size, format: header.format)) ?? 0 }.max() ?? 0
    // All pixels of a small image, in RGBA and RGB.
    let overview = overviewSize.area * 10 + 2 * Double(WholePicture.bytes(header, limits: job.limits))
    return DecodingEstimate(
      // A region that is reduced or rotated also exists as decoded.
      bytes: overview, transientBytes: Double(bytes) + size.area * Double(header.format.channels),
      cost: (isLossless ? 12 : header.hasAlpha ? 9 : 6) * size.megapixels)
  }

  func overview(_ wanted: OverviewRequest) throws(FaceCropError) -> Decoded<PixelBuffer> {
    let look = ProgressSpan(job: job, phase: .overview)
    let rect = PixelRect(whole: header.size, scale: 8)
    let isKept = WholePicture.isKept(header, limits: job.limits) && (try? check(rect, size: header.size)) != nil
    let picture = try picture(of: rect, size: isKept ? header.size : overviewSize, look)
    isJudged = true
    if isKept { whole.keep(Decoded(value: picture, faults: faults.found)) }
    let opaque = wanted.format == .gray ? picture.inGray() : picture.inColor()
    return Decoded(value: try wanted.shrunk(opaque), faults: faults.found)
  }

  /// Decodes a region into one buffer, as libwebp requires. A sink without a buffer gets the rows at the end.
  func decode(_ region: RegionRequest, into sink: inout some RowSink) throws(FaceCropError) -> Decoded<Void> {
    if whole.give(region, into: &sink) != nil { return Decoded(value: (), faults: faults.found) }
    // A region can lie above a truncation, which only the overview reports.
    if !isComplete && !isJudged { _ = try overview(OverviewRequest(format: .rgb)) }
    sink.restart()
    if let pixels = unsafe sink.whole {
      try unsafe decode(region.rect, size: region.rect.size, region.progress, into: pixels)
    } else {
      let picture = try picture(of: region.rect, size: region.rect.size, region.progress)
      picture.give(PixelRect(whole: picture.size, scale: 8), averagedBy: 1, to: &sink)
    }
    return Decoded(value: (), faults: faults.found)
  }

  private var overviewSize: PixelSize {
    header.size.longSide > Overview.side ? header.size.scaled(toLongSide: Overview.side) : header.size
  }

  private func picture(
    of rect: PixelRect, size: PixelSize, _ progress: ProgressSpan
  ) throws(FaceCropError) -> PixelBuffer {
    try job.limits.check(.regionBytes, size.bytes(channels: header.format.channels))
    return try unsafe PixelBuffer.filled(size: size, format: header.format) { (pixels) throws(FaceCropError) in
      try unsafe decode(rect, size: size, progress, into: pixels)
    }.picture
  }

  private func decode(
    _ rect: PixelRect, size: PixelSize, _ progress: ProgressSpan, into pixels: UnsafeMutableBufferPointer<UInt8>
  ) throws(FaceCropError) {
    try check(rect, size: size)
    try unsafe decoder.decode(rect, size: size, format: header.format, into: pixels) { rows in
      progress.report(rows, of: size.height)
    }
    let damage = decoder.damage
    guard damage.kind != .none else { return }
    // The rows refer to the image. A region above a truncation reports nothing, because the overview did.
    let isWhole = Int(damage.intactRows) == size.height
    guard !isWhole || rect.height == header.size.height else { return }
    let intactRows = rect.y + Int(damage.intactRows) * rect.height / size.height
    try faults.judge(
      damage.kind == .truncated ? .truncated(coarse: false) : .corrupt, intactRows: intactRows,
      isTolerable: damage.kind == .truncated && isWhole)
  }
}
