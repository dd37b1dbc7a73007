internal import CPNGShim

/// A PNG file during one request. It is read row by row, again for each detection pass and region unless it is small.
/// Only an interlaced image is held whole, while it is read. Smaller scales are area averages.
@safe final class PNGSession: AveragingSession {
  let format = ImageFormat.png
  let header: ImageHeader
  let job: Job
  var whole = WholePicture()

  private let bytes: ImageBytes
  private let allowsDamage: Bool
  private let isInterlaced: Bool
  /// The bytes of an interlaced image in the decoder, else 0.
  private let heldBytes: Int
  /// The irregularities with warnings of their own.
  private let remarks: Int
  private var faults: Faults
  /// Whether all rows were read once, so that their damage is known.
  private var isJudged = false
  private let rowsAtOnce = 16

  init(_ bytes: ImageBytes, allowsDamage: Bool, job: Job) throws(FaceCropError) {
    let file = try PNGDecoder(reading: bytes, job: job).header()
    self.bytes = bytes
    self.allowsDamage = allowsDamage
    self.job = job
    isInterlaced = file.isInterlaced
    heldBytes = isInterlaced ? file.size.bytes(channels: (file.isGray ? 1 : 3) + (file.hasTransparency ? 1 : 0)) : 0
    remarks = file.hasDamagedProfile ? 1 : 0
    faults = Faults(allowsDamage: allowsDamage, rows: file.size.height)
    if file.remarks > remarks { faults.note(.irregular) }
    var image = ImageHeader(size: file.size)
    image.isGray = file.isGray && !file.hasTransparency
    image.hasAlpha = file.hasTransparency
    image.bitsPerSample = file.bitDepth
    image.isProgressive = file.isInterlaced
    image.isAnimated = file.isAnimated
    image.frameCount = file.frameCount
    let profile = try Self.profile(of: file, &faults)
    image.takeMetadata(profile: profile, exif: file.exif, isGray: file.isGray, &faults)
    image.credits = file.credits
    image.resolution = file.resolution
    image.faults = faults.found
    header = image
  }

  /// The color profile of the pixels; empty for sRGB, nil if the file does not say.
  private static func profile(of file: PNGHeader, _ faults: inout Faults) throws(FaceCropError) -> [UInt8]? {
    if let codePoints = file.codePoints {
      if let profile = try codePoints.profile() { return profile }
      faults.note(.profileDropped)
    }
    if file.hasDamagedProfile { faults.note(.profileDropped) }
    guard let colors = file.colors else { return file.namesColors ? file.profile : nil }
    return try ICCProfile.of(gamma: colors.gamma, primaries: file.isGray ? nil : colors.primaries)
  }

  func frames() throws(FaceCropError) -> (any FrameSource)? {
    try PNGFrames(bytes, size: header.size, most: header.frameCount, allowsDamage: allowsDamage, job: job)
  }

  /// A copy of a frame's data. The array grows to twice its content.
  var frameBytes: Double { 2 * Double(min(unsafe bytes.buffer.count, PNGFrames.mostBytes(header.size))) }

  var foundFaults: Set<CropWarning> { faults.found }

  var estimate: DecodingEstimate {
    let held = isInterlaced ? Double(heldBytes) : Double(header.size.width * 64)
    return DecodingEstimate(bytes: overviewBytes + held, cost: (header.isGray ? 6 : 14) * header.size.megapixels)
  }

  // MARK: Rows

  func heldBytes(columns: Int, channels: Int) -> Int { heldBytes }

  func decode(
    _ rect: PixelRect, factor: Int, format: PixelBuffer.Format, _ progress: ProgressSpan, into sink: inout some RowSink
  ) throws(FaceCropError) {
    try check(rect, factor: factor, format: format)
    // The rows of the image down to the last one of the rectangle.
    let end = rect.y + rect.height
    func report(_ rows: Int) { progress.report(rows, of: end) }
    let decoder = try PNGDecoder(reading: bytes, job: job)
    try decoder.start(format: format)
    if isInterlaced { try absorb(decoder, report: { report(Int($0 * Double(end))) }) }
    sink.restart()
    try skip(to: rect.y, from: 0, decoder, report: report)
    try give(rect, factor: factor, format: format, to: &sink) { (rows, band) throws(FaceCropError) in
      try unsafe band.withUnsafeMutableBufferPointer { (band) throws(FaceCropError) in
        try unsafe decoder.readRows(
          columns: rect.x..<rect.x + rect.width, into: band, bytesPerRow: rect.width * format.channels,
          count: rows.count)
      }
      try judge(decoder.damage)
      report(rows.upperBound)
    }
    // A chunk's checksum follows its data, and may be far below.
    if !isJudged { try skip(to: header.size.height, from: end, decoder) { _ in } }
    isJudged = true
  }

  private func absorb(_ decoder: PNGDecoder, report: (_ fraction: Double) -> Void) throws(FaceCropError) {
    while try !decoder.absorb(count: rowsAtOnce) {
      try judge(decoder.damage)
      report(decoder.fractionRead)
    }
    try judge(decoder.damage)
  }

  private func skip(
    to end: Int, from start: Int, _ decoder: PNGDecoder, report: (_ rows: Int) -> Void
  ) throws(FaceCropError) {
    for row in stride(from: start, to: end, by: rowsAtOnce) {
      let count = min(rowsAtOnce, end - row)
      try decoder.skipRows(count)
      try judge(decoder.damage)
      report(row + count)
    }
  }

  /// Judges damage. Only a missing end is tolerable.
  private func judge(_ damage: FCPNGDamage) throws(FaceCropError) {
    if Int(damage.remarks) > remarks { faults.note(.irregular) }
    if damage.kind == .none { return }
    let intactRows = Int(damage.intactRows)
    let isWhole = intactRows == header.size.height
    try faults.judge(
      damage.kind == .truncated ? .truncated(coarse: damage.pass > 1 && !isWhole) : .corrupt, intactRows: intactRows,
      isTolerable: damage.kind == .truncated && isWhole)
  }
}
