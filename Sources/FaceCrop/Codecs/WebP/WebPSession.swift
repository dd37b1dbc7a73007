internal import CWebPShim

/// One WebP file during one request; of an animation, its first frame. It is decoded anew for each look, which libwebp
/// scales, and each region, of which it decodes no more than it has to.
@safe final class WebPSession: ImageSession {
  let format = ImageFormat.webp
  let header: ImageHeader
  /// At full size alone: libwebp scales whole pictures, but not to a grid that regions could share.
  let scales = [8]
  let lastPath = DecodePath.sequential
  var sortedWarnings: [CropWarning] { faults.sorted }

  private let decoder: WebPDecoder
  private let isComplete: Bool
  private let isLossless: Bool
  private let job: Job
  private var faults: Faults
  private var isJudged = false

  init(_ bytes: ImageBytes, allowsDamage: Bool, job: Job) throws(FaceCropError) {
    decoder = try WebPDecoder(reading: bytes, job: job)
    let file = try decoder.header()
    self.job = job
    isComplete = file.isComplete
    isLossless = file.isLossless
    faults = Faults(allowsDamage: allowsDamage, rows: file.size.height)
    var image = ImageHeader(size: file.size)
    image.hasAlpha = file.hasTransparency
    image.isAnimated = file.isAnimated
    image.takeMetadata(profile: file.profile, tiff: file.tiff, &faults)
    header = image
  }

  var estimate: DecodingEstimate {
    let size = header.size
    let whole = PixelRect(whole: size, scale: 8)
    // Without its last column a lossy picture needs a copy, which the whole one does not.
    let part = PixelRect(x: 0, y: 0, width: max(size.width - 1, 1), height: size.height)
    // Where it is not to be known, decoding fails too.
    let bytes =
      [whole, part].map { (try? decoder.memory(for: $0, size: $0.size, format: header.format)) ?? 0 }.max() ?? 0
    let overview = overviewSize.area * 10
    return DecodingEstimate(
      bytes: Double(bytes) + overview, cost: (isLossless ? 12 : header.hasAlpha ? 9 : 6) * size.megapixels)
  }

  func overview(format: PixelBuffer.Format, smallest _: Int) throws(FaceCropError) -> PixelBuffer {
    let picture = try decode(
      PixelRect(whole: header.size, scale: 8), size: overviewSize, phase: .look)
    isJudged = true
    return format == .gray ? picture.inGray() : picture.inColor()
  }

  func region(_ rect: PixelRect, scale: Int, part: (index: Int, count: Int)) throws(FaceCropError) -> PixelBuffer {
    // A region may lie above what is missing.
    if !isComplete && !isJudged { _ = try overview(format: .rgb, smallest: Overview.smallest) }
    return try decode(rect, size: rect.size, phase: .render, part: part)
  }

  private var overviewSize: PixelSize {
    header.size.longSide > Overview.side ? header.size.scaled(toLongSide: Overview.side) : header.size
  }

  private func decode(
    _ rect: PixelRect, size: PixelSize, phase: CropProgress.Phase, part: (index: Int, count: Int) = (0, 1)
  ) throws(FaceCropError) -> PixelBuffer {
    let picture = try decoder.picture(of: rect, size: size, format: header.format) { [job] rows in
      job.report(phase, part.index * size.height + rows, of: part.count * size.height)
    }
    let damage = decoder.damage
    guard damage.kind != .none else { return picture }
    // In rows of the picture. A part that is whole above what is missing says nothing: the look at all of it did.
    let isWhole = Int(damage.intactRows) == size.height
    guard !isWhole || rect.height == header.size.height else { return picture }
    let intactRows = rect.y + Int(damage.intactRows) * rect.height / size.height
    try faults.judge(
      damage.kind == .truncated ? .truncated(coarse: false) : .corrupt, intactRows: intactRows,
      isTolerable: damage.kind == .truncated && isWhole)
    return picture
  }
}
