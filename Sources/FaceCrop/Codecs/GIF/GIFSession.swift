internal import CGIFShim

/// The first frame of a GIF file during one request. It is read row by row, again for each detection pass and region
/// unless it is small. Only an interlaced frame is held whole, as indices. The uncovered screen is transparent.
@safe final class GIFSession: AveragingSession {
  let format = ImageFormat.gif
  let header: ImageHeader
  let job: Job
  var whole = WholePicture()

  private let bytes: ImageBytes
  private let file: GIFHeader
  private(set) var faults: Faults
  /// Whether all rows were read once, so that their damage is known.
  private var isJudged = false

  private var frame: PixelRect { file.frame.rect }
  private var frameRows: Range<Int> { frame.y..<frame.y + frame.height }
  /// The bytes of an interlaced frame's indices.
  private var heldBytes: Int { file.frame.isInterlaced ? frame.size.bytes(channels: 1) : 0 }

  init(_ bytes: ImageBytes, allowsDamage: Bool, job: Job) throws(FaceCropError) {
    file = try GIFHeader(reading: bytes, job: job)
    self.bytes = bytes
    self.job = job
    faults = Faults(allowsDamage: allowsDamage, rows: file.size.height)
    if file.hasRemarks { faults.note(.irregular) }
    if file.isFrameComplete && !file.isComplete {
      try faults.judge(.truncated(coarse: false), intactRows: file.size.height, isTolerable: true)
    }
    var image = ImageHeader(size: file.size)
    image.hasAlpha = file.hasAlpha
    image.bitsPerSample = file.bitDepth
    image.isProgressive = file.frame.isInterlaced
    image.isAnimated = file.frameCount > 1
    image.frameCount = file.frameCount
    image.takeMetadata(profile: file.profile, exif: [], &faults)
    image.faults = faults.found
    header = image
  }

  func frames() -> (any FrameSource)? { GIFFrames(file, bytes, allowsDamage: faults.allowsDamage, job: job) }

  var estimate: DecodingEstimate {
    // A row of indices, a band of pixels, and the code table.
    let rows = Double(header.size.width * 65 + (64 << 10))
    return DecodingEstimate(bytes: overviewBytes + rows + Double(heldBytes), cost: 10 * header.size.megapixels)
  }

  // MARK: Rows

  func heldBytes(columns: Int, channels: Int) -> Int { heldBytes }

  func decode(
    _ rect: PixelRect, factor: Int, format: PixelBuffer.Format, _ progress: ProgressSpan, into sink: inout some RowSink
  ) throws(FaceCropError) {
    try check(rect, factor: factor, format: format)
    let end = rect.y + rect.height
    let decoder = try GIFDecoder(reading: bytes, frame: file.frame, kept: frame.size, job: job)
    var absorbed = 0
    while try !decoder.absorb(count: 16) {
      absorbed += 16
      progress.report(min(absorbed, frame.height), of: 2 * frame.height)
    }
    sink.restart()
    try skip(to: min(rect.y, frame.y + frame.height), from: frame.y, decoder)
    let bytesPerRow = rect.width * format.channels
    var indices = [UInt8](repeating: 0, count: frame.width)
    try give(rect, factor: factor, format: format, to: &sink) { (rows, band) throws(FaceCropError) in
      for (index, row) in rows.enumerated() {
        let pixels = index * bytesPerRow..<(index + 1) * bytesPerRow
        try read(row, columns: rect.x..<rect.x + rect.width, decoder, &indices, format, into: &band, pixels)
      }
      try faults.judge(decoder.damage, in: frameRows, isInPasses: true)
      progress.report(rows.upperBound, of: end)
    }
    if !isJudged { try skip(to: frame.y + frame.height, from: max(end, frame.y), decoder) }
    isJudged = true
  }

  /// Reads some columns of a row of the screen.
  private func read(
    _ row: Int, columns: Range<Int>, _ decoder: GIFDecoder, _ indices: inout [UInt8], _ format: PixelBuffer.Format,
    into band: inout [UInt8], _ pixels: Range<Int>
  ) throws(FaceCropError) {
    let own = columns.clamped(to: frame.x..<frame.x + frame.width)
    let isInside = frameRows.contains(row)
    if !isInside || own.count < columns.count {
      for place in pixels { band[place] = 0 }
    }
    guard isInside else { return }
    try decoder.readRow(into: &indices)
    if own.isEmpty { return }
    let start = pixels.lowerBound + (own.lowerBound - columns.lowerBound) * format.channels
    unsafe indices.withUnsafeBufferPointer { indices in
      unsafe band.withUnsafeMutableBufferPointer { band in
        unsafe fcgif_expand(
          indices.baseAddress! + own.lowerBound - frame.x, own.count, file.colors, UInt32(format.channels),
          band.baseAddress! + start)
      }
    }
  }

  private func skip(to end: Int, from start: Int, _ decoder: GIFDecoder) throws(FaceCropError) {
    for row in stride(from: start, to: end, by: 1) {
      try decoder.skipRow()
      if row % 16 == 0 { try faults.judge(decoder.damage, in: frameRows, isInPasses: true) }
    }
    try faults.judge(decoder.damage, in: frameRows, isInPasses: true)
  }
}
