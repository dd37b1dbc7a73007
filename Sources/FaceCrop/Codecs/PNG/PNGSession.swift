internal import CPNGShim

/// A PNG file during one request. It is read row by row, again for each detection pass and region unless it is small.
/// Only an interlaced image is held whole, while it is read. Smaller scales are area averages.
@safe final class PNGSession: AveragingSession {
  let format = ImageFormat.png
  let header: ImageHeader
  let job: Job
  var whole = WholePicture()

  private let bytes: ImageBytes
  private let isInterlaced: Bool
  /// The bytes of an interlaced image in the decoder, else 0.
  private let heldBytes: Int
  /// The irregularities with warnings of their own.
  private let remarks: Int
  private(set) var faults: Faults
  /// Whether all rows were read once, so that their damage is known.
  private var isJudged = false
  private let rowsAtOnce = 16

  init(_ bytes: ImageBytes, allowsDamage: Bool, job: Job) throws(FaceCropError) {
    let decoder = try PNGDecoder(reading: bytes, job: job)
    defer { withExtendedLifetime(decoder) {} }
    let file = try unsafe decoder.header()
    self.bytes = bytes
    self.job = job
    var image = ImageHeader(size: unsafe PixelSize(width: Int(file.width), height: Int(file.height)))
    let isGray = unsafe file.colorType == .gray || file.colorType == .grayAlpha
    image.hasAlpha = unsafe file.hasTransparency
    image.isGray = isGray && !image.hasAlpha
    image.bitsPerSample = unsafe Int(file.bitDepth)
    isInterlaced = unsafe file.isInterlaced
    image.isProgressive = isInterlaced
    image.frameCount = unsafe Int(file.frameCount)
    image.isAnimated = image.frameCount > 1
    heldBytes = isInterlaced ? image.size.bytes(channels: (isGray ? 1 : 3) + (image.hasAlpha ? 1 : 0)) : 0
    remarks = unsafe file.profile.state == .damaged ? 1 : 0
    faults = Faults(allowsDamage: allowsDamage, rows: image.size.height)
    if unsafe Int(file.remarks) > remarks { faults.note(.irregular) }
    let profile = try unsafe Self.profile(of: file, isGray: isGray, &faults)
    image.takeMetadata(profile: profile, exif: unsafe ImageBytes.copy(file.exif), isGray: isGray, &faults)
    image.credits.xmp = unsafe ImageBytes.copy(file.xmp)
    image.credits.isCut = unsafe file.xmp.state == .tooLarge || file.xmp.state == .damaged
    image.resolution = unsafe Resolution.perInch(perMeter: Int(file.pixelsPerMeter))
    image.faults = faults.found
    header = image
  }

  /// The color profile of the pixels; empty for sRGB, nil if the file does not say.
  private static func profile(
    of file: FCPNGHeader, isGray: Bool, _ faults: inout Faults
  ) throws(FaceCropError) -> [UInt8]? {
    // The chunk cICP (PNG, third edition, 11.3.2.6), with code points of ITU-T H.273, outranks other chunks for colors.
    let (primaries, transfer, unspecified) = unsafe (Int(file.primaries), Int(file.transfer), 2)
    if unsafe file.hasCodePoints, primaries != unspecified || transfer != unspecified {
      // Samples of video, which leave room at both ends, are not read.
      let isRead = unsafe file.isFullRange
      if isRead, let profile = try ICCProfile.coded(primaries: primaries, transfer: transfer) { return profile }
      faults.note(.profileDropped)
    }
    if unsafe file.profile.state == .damaged { faults.note(.profileDropped) }
    if let colors = unsafe PNGColors(file) {
      return try ICCProfile.of(gamma: colors.gamma, primaries: isGray ? nil : colors.primaries)
    }
    let namesColors = unsafe file.isSRGB || file.hasGamma || file.hasChromaticities || file.profile.state != .none
    return namesColors ? unsafe ImageBytes.copy(file.profile) : nil
  }

  func frames() throws(FaceCropError) -> (any FrameSource)? {
    try PNGFrames(bytes, size: header.size, most: header.frameCount, allowsDamage: faults.allowsDamage, job: job)
  }

  /// A copy of a frame's data. The array grows to twice its content.
  var frameBytes: Double { 2 * Double(min(unsafe bytes.buffer.count, PNGFrames.mostBytes(header.size))) }

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

  private func judge(_ damage: FCDamage) throws(FaceCropError) {
    if Int(damage.remarks) > remarks { faults.note(.irregular) }
    try faults.judge(damage, in: 0..<header.size.height, isInPasses: true)
  }
}
