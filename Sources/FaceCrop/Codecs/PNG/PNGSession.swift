internal import CPNGShim

/// One PNG file during one request. It is read row by row, anew for each look and each region; only an interlaced one is
/// held whole, while it is read. Smaller scales are averages of areas, made as the rows come.
@safe final class PNGSession: ImageSession {
  let format = ImageFormat.png
  let header: ImageHeader
  let scales = [1, 2, 4, 8]
  let lastPath = DecodePath.sequential
  var sortedWarnings: [CropWarning] { faults.sorted }

  private let bytes: ImageBytes
  private let isInterlaced: Bool
  /// Bytes that an interlaced picture takes in the decoder.
  private let heldBytes: Int
  /// Irregularities that have warnings of their own.
  private let remarks: Int
  private let job: Job
  private var faults: Faults
  /// All rows were read once, so that what is wrong with them is known.
  private var isJudged = false
  private let rowsAtOnce = 16

  init(_ bytes: ImageBytes, allowsDamage: Bool, job: Job) throws(FaceCropError) {
    let file = try PNGDecoder(reading: bytes, job: job).header()
    self.bytes = bytes
    self.job = job
    isInterlaced = file.isInterlaced
    heldBytes = file.size.bytes(channels: (file.isGray ? 1 : 3) + (file.hasTransparency ? 1 : 0))
    remarks = file.hasDamagedProfile ? 1 : 0
    faults = Faults(allowsDamage: allowsDamage, rows: file.size.height)
    if file.hasDamagedProfile { faults.note(.profileDropped) }
    if file.remarks > remarks { faults.note(.irregular) }
    var image = ImageHeader(size: file.size)
    image.isGray = file.isGray && !file.hasTransparency
    image.hasAlpha = file.hasTransparency
    image.bitsPerSample = file.bitDepth
    image.isProgressive = file.isInterlaced
    image.isAnimated = file.isAnimated
    var profile = file.profile
    if let colors = file.colors {
      profile = try ICCProfile.of(gamma: colors.gamma, primaries: colors.primaries, isGray: image.isGray)
    }
    image.takeMetadata(profile: profile, tiff: file.tiff, &faults)
    header = image
  }

  var estimate: DecodingEstimate {
    let pixels = header.size.area
    // Less than twice as long as it is to be; in colors with alpha, in colors, and these turned upright.
    let side = Double(2 * Overview.side - 1)
    let overview = min(pixels, side * side) * 10
    let held = isInterlaced ? Double(heldBytes) : Double(header.size.width * 64)
    return DecodingEstimate(bytes: overview + held, cost: (header.isGray ? 6 : 14) * header.size.megapixels)
  }

  func overview(format: PixelBuffer.Format, smallest _: Int) throws(FaceCropError) -> PixelBuffer {
    let size = header.size
    let picture = try decode(
      PixelRect(x: 0, y: 0, width: size.width, height: size.height), factor: max(size.longSide / Overview.side, 1),
      format: header.hasAlpha ? .rgba : format
    ) { [job] completed in job.report(.look, completed, of: size.height) }
    let opaque = format == .gray ? picture.inGray() : picture.inColor()
    return try opaque.shrunk(toLongSide: Overview.side)
  }

  func region(_ rect: PixelRect, scale: Int, part: (index: Int, count: Int)) throws(FaceCropError) -> PixelBuffer {
    let factor = 8 / scale
    let covered = PixelRect(
      x: rect.x * factor, y: rect.y * factor, width: rect.width * factor, height: rect.height * factor
    ).intersection(PixelRect(whole: header.size, scale: 8))
    let rows = covered.y + covered.height
    return try decode(covered, factor: factor, format: header.format) { [job] completed in
      job.report(.render, part.index * rows + completed, of: part.count * rows)
    }
  }

  // MARK: Rows

  /// A rectangle of the picture as stored, made smaller by a whole factor.
  ///
  /// - Parameter report: gets the picture's rows that are done, up to the rectangle's last one.
  private func decode(
    _ rect: PixelRect, factor: Int, format: PixelBuffer.Format, report: (_ rows: Int) -> Void
  ) throws(FaceCropError) -> PixelBuffer {
    let output = PixelSize(width: (rect.width + factor - 1) / factor, height: (rect.height + factor - 1) / factor)
    let outputBytes = output.bytes(channels: format.channels)
    try job.limits.check(.regionBytes, outputBytes)
    if isInterlaced { try job.limits.check(.pictureBytes, heldBytes.addingClamped(outputBytes)) }
    let decoder = try PNGDecoder(reading: bytes, job: job)
    try decoder.start(format: format)
    if isInterlaced { try absorb(decoder, report: { report(Int($0 * Double(rect.y + rect.height))) }) }
    try skip(to: rect.y, from: 0, decoder, report: report)
    let picture = try unsafe PixelBuffer.filled(size: output, format: format) { (pixels) throws(FaceCropError) in
      if factor == 1 {
        try unsafe read(rect, into: pixels, format, decoder, report: report)
      } else {
        try unsafe average(rect, by: factor, into: pixels, format, decoder, report: report)
      }
    }
    // A checksum covers a chunk and stands at its end, which may be far below.
    if !isJudged { try skip(to: header.size.height, from: rect.y + rect.height, decoder) { _ in } }
    isJudged = true
    return picture
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

  private func read(
    _ rect: PixelRect, into pixels: UnsafeMutableBufferPointer<UInt8>, _ format: PixelBuffer.Format,
    _ decoder: PNGDecoder, report: (_ rows: Int) -> Void
  ) throws(FaceCropError) {
    let bytesPerRow = rect.width * format.channels
    for row in stride(from: 0, to: rect.height, by: rowsAtOnce) {
      let count = min(rowsAtOnce, rect.height - row)
      try unsafe decoder.readRows(
        columns: rect.x..<rect.x + rect.width, into: pixels.extracting((row * bytesPerRow)...),
        bytesPerRow: bytesPerRow, count: count)
      try judge(decoder.damage)
      report(rect.y + row + count)
    }
  }

  private func average(
    _ rect: PixelRect, by factor: Int, into pixels: UnsafeMutableBufferPointer<UInt8>, _ format: PixelBuffer.Format,
    _ decoder: PNGDecoder, report: (_ rows: Int) -> Void
  ) throws(FaceCropError) {
    var average = AreaAverage(width: rect.width, factor: factor, format: format)
    var line = [UInt8](repeating: 0, count: rect.width * format.channels)
    let bytesPerRow = average.width * format.channels
    for top in stride(from: 0, to: rect.height, by: factor) {
      let count = min(factor, rect.height - top)
      for _ in 0..<count {
        try job.check()
        try unsafe line.withUnsafeMutableBufferPointer { (line) throws(FaceCropError) in
          try unsafe decoder.readRows(
            columns: rect.x..<rect.x + rect.width, into: line, bytesPerRow: line.count, count: 1)
          unsafe average.add(UnsafeBufferPointer(line))
        }
      }
      unsafe average.finish(into: pixels.extracting((top / factor * bytesPerRow)...))
      try judge(decoder.damage)
      report(rect.y + top + count)
    }
  }

  /// Only a missing end is tolerable.
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
