/// A session whose decoder gives only full-size rows. Smaller scales are averages, computed row by row.
protocol AveragingSession: ImageSession {
  var job: Job { get }
  /// The problems found so far.
  var faults: Faults { get }
  /// The cached pixels of a small image; empty at first.
  var whole: WholePicture { get set }

  /// Returns the format for decoding an overview, from which the wanted format is made.
  func overviewFormat(_ wanted: PixelBuffer.Format) -> PixelBuffer.Format

  /// Returns the bytes of the image that the decoder holds before the first row of a rectangle with this many columns;
  /// 0 if it reads row by row.
  func heldBytes(columns: Int, channels: Int) -> Int

  /// Decodes a rectangle of the image as stored, reduced by a whole factor. `format` has alpha if the header's has it.
  func decode(
    _ rect: PixelRect, factor: Int, format: PixelBuffer.Format, _ progress: ProgressSpan, into sink: inout some RowSink
  ) throws(FaceCropError)
}

extension AveragingSession {
  func checkMemory() throws(FaceCropError) {
    try check(
      PixelRect(whole: header.size, scale: 8), factor: Overview.factor(for: header.size), format: overviewFormat(.rgb))
  }

  /// Checks the memory for a rectangle against the limits.
  func check(_ rect: PixelRect, factor: Int, format: PixelBuffer.Format) throws(FaceCropError) {
    let outputBytes = rect.size.divided(by: factor).bytes(channels: format.channels)
    try job.limits.check(.regionBytes, outputBytes)
    let held = heldBytes(columns: rect.width, channels: format.channels)
    if held > 0 { try job.limits.check(.imageBytes, held.addingClamped(outputBytes)) }
  }

  func overviewFormat(_ wanted: PixelBuffer.Format) -> PixelBuffer.Format { header.hasAlpha ? .rgba : wanted }

  /// The bytes of an overview of less than twice the wanted side: in RGBA, in RGB, and upright. A small image's pixels
  /// are added.
  var overviewBytes: Double {
    let side = Double(2 * Overview.side - 1)
    return min(header.size.area, side * side) * 10 + Double(WholePicture.bytes(header, limits: job.limits))
  }

  func overview(_ wanted: OverviewRequest) throws(FaceCropError) -> Decoded<PixelBuffer> {
    let size = header.size
    let factor = Overview.factor(for: size)
    let format = overviewFormat(wanted.format)
    let progress = ProgressSpan(job: job, phase: .overview)
    let rect = PixelRect(whole: size, scale: 8)
    let isKept = WholePicture.isKept(header, limits: job.limits)
    let (fraction, pixels) = isKept ? (1, header.format) : (factor, format)
    let picture = try PixelBuffer.decoded(size.divided(by: fraction), pixels) { (sink) throws(FaceCropError) in
      try decode(rect, factor: fraction, format: pixels, progress, into: &sink)
    }.picture
    if isKept {
      whole.keep(Decoded(value: picture, faults: faults.found))
      return Decoded(value: try picture.overview(wanted), faults: faults.found)
    }
    let opaque = wanted.format == .gray ? picture.inGray() : picture.inColor()
    return Decoded(value: try wanted.shrunk(opaque), faults: faults.found)
  }

  func decode(_ region: RegionRequest, into sink: inout some RowSink) throws(FaceCropError) -> Decoded<Void> {
    if whole.give(region, into: &sink) != nil { return Decoded(value: (), faults: faults.found) }
    let factor = 8 / region.scale
    let rect = region.rect.enlarged(by: factor, in: header.size)
    try decode(rect, factor: factor, format: header.format, region.progress, into: &sink)
    return Decoded(value: (), faults: faults.found)
  }

  /// Passes a rectangle to a sink, reduced by a whole factor. `read` fills a band of rows, given by their numbers.
  func give(
    _ rect: PixelRect, factor: Int, format: PixelBuffer.Format, to sink: inout some RowSink,
    read: (Range<Int>, inout [UInt8]) throws(FaceCropError) -> Void
  ) throws(FaceCropError) {
    var average = AreaAverage(of: rect.size, factor: factor, format: format)
    let bytesPerRow = rect.width * format.channels
    let (end, atOnce) = (rect.y + rect.height, Band.rows(of: bytesPerRow, height: rect.height))
    var band = [UInt8](repeating: 0, count: atOnce * bytesPerRow)
    for row in stride(from: rect.y, to: end, by: atOnce) {
      try job.check()
      let rows = row..<min(row + atOnce, end)
      try read(rows, &band)
      average.take(band.span.extracting(..<(rows.count * bytesPerRow)), count: rows.count, into: &sink)
    }
  }
}
