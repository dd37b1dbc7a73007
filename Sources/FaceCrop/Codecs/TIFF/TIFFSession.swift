internal import CTIFFShim

/// A page of a TIFF file during one request. Strips are read row by row, from the first row of the strip where
/// a region starts. Tiles are read a row of tiles at a time, and only those that the region touches.
@safe final class TIFFSession: AveragingSession {
  let format = ImageFormat.tiff
  let header: ImageHeader
  let job: Job
  var whole = WholePicture()

  private let bytes: ImageBytes
  private let file: TIFFHeader
  private(set) var faults: Faults
  /// The first damaged row so far.
  private var damagedRow: Int?
  /// Whether the row where the file is truncated is known.
  private var isCutFound = false
  /// The conversion from inks to sRGB by the profile, created for the first pixels.
  private var madeInks: InkConversion??

  private var layout: TIFFLayout { file.layout }

  init(_ bytes: ImageBytes, allowsDamage: Bool, job: Job) throws(FaceCropError) {
    file = try TIFFHeader(reading: bytes, job: job)
    self.bytes = bytes
    self.job = job
    faults = Faults(allowsDamage: allowsDamage, rows: file.size.height)
    var image = ImageHeader(size: file.size)
    image.pageCount = file.pageCount
    image.hasAlpha = file.layout.alpha != .none
    image.isGray = file.layout.isGray && !image.hasAlpha
    image.bitsPerSample = file.layout.bits
    let profile = file.layout.colors == .inks ? [] : file.profile.isEmpty ? nil : file.profile
    image.takeMetadata(profile: profile, exif: file.exif, isGray: file.layout.isGray, &faults)
    image.credits = file.credits
    image.faults = faults.found
    header = image
  }

  func decodedPixels() -> Int { header.size.bytes(channels: 1).addingClamped(file.streams.repeatedPixels) }

  var estimate: DecodingEstimate {
    var bytes = overviewBytes + Double(heldBytes(columns: file.size.width, channels: header.format.channels))
    bytes += Double(bandBytes + TIFFParts.bytes(file.parts.offsets.count, layout))
    // Debian's libtiff reads the bytes of a whole strip at once, in each plane.
    if layout.tile == nil { bytes += Double(file.parts.largest.multipliedClamped(by: layout.planes)) }
    if layout.colors == .inks, !file.profile.isEmpty {
      bytes += Double(ICCProfile.conversionBytes(file.profile, .cmyk))
    }
    return DecodingEstimate(bytes: bytes, cost: 10 * header.size.megapixels)
  }

  /// The bytes of a band of rows, as samples and as pixels.
  private var bandBytes: Int { 64 * file.size.width + 32 * layout.bytes(columns: file.size.width, rows: 1) }

  /// Returns the bytes that are decoded before the first row, libtiff's own memory included.
  func heldBytes(columns: Int, channels: Int) -> Int {
    let part = layout.partBytes(file.size)
    var bytes = 0
    if let tile = layout.tile {
      // A tile of each plane, decoded and as stored, and a row of tiles as pixels.
      bytes = part.multipliedClamped(by: layout.planes).addingClamped(
        file.parts.largest.multipliedClamped(by: layout.planes))
      let rows = min(tile.height, file.size.height)
      bytes = bytes.addingClamped(columns.multipliedClamped(by: rows * channels))
    } else if layout.isConverted {
      bytes = part.addingClamped(file.parts.largest)
      bytes = bytes.addingClamped(columns.multipliedClamped(by: layout.rowsPerStrip * channels))
    }
    if layout.isConverted {
      let area = layout.tile ?? PixelSize(width: file.size.width, height: layout.rowsPerStrip)
      bytes = bytes.addingClamped(area.bytes(channels: 4))
    }
    switch layout.compression {
    case TIFFCompression.jpeg:
      // The decoder of each plane holds some rows, and the coefficients if there are several scans.
      let area = layout.tile ?? PixelSize(width: file.size.width, height: layout.rowsPerStrip)
      let rows = min(area.bytes(channels: 6), area.width.multipliedClamped(by: 256).addingClamped(1 << 20))
      let plane = file.streams.bytes.addingClamped(rows)
      bytes = bytes.addingClamped(plane.multipliedClamped(by: layout.planes)).addingClamped(file.parts.largest)
    case TIFFCompression.zstandard: bytes = bytes.addingClamped(Self.windowBytes * layout.planes)
    case TIFFCompression.webP:
      let plane = part.multipliedClamped(by: 3).addingClamped(file.streams.bytes)
      bytes = bytes.addingClamped(plane.multipliedClamped(by: layout.planes)).addingClamped(file.parts.largest)
    default: break
    }
    return bytes
  }

  /// The maximum window of the Zstandard library.
  private static let windowBytes = 128 << 20

  // MARK: Rows

  /// Returns RGB for inks.
  func overviewFormat(_ wanted: PixelBuffer.Format) -> PixelBuffer.Format {
    header.hasAlpha ? .rgba : layout.colors == .inks ? .rgb : wanted
  }

  func decode(
    _ rect: PixelRect, factor: Int, format: PixelBuffer.Format, _ progress: ProgressSpan, into sink: inout some RowSink
  ) throws(FaceCropError) {
    try check(rect, factor: factor, format: format)
    let inks = try inks()
    let color = inks == nil ? format.shimColor : .CMYK
    let decoder = try TIFFDecoder(
      reading: bytes, file, color: color, columns: rect.x..<rect.x + rect.width, job: job)
    sink.restart()
    var stored: [UInt8] = []
    try give(rect, factor: factor, format: format, to: &sink) { (rows, band) throws(FaceCropError) in
      if inks != nil, stored.isEmpty { stored = [UInt8](repeating: 0, count: rows.count * rect.width * 4) }
      try unsafe band.withUnsafeMutableBufferPointer { (band) throws(FaceCropError) in
        guard let inks else { return try unsafe decoder.readRows(rows, into: band) }
        try unsafe stored.withUnsafeMutableBufferPointer { (stored) throws(FaceCropError) in
          try unsafe decoder.readRows(rows, into: stored)
          unsafe inks.convert(UnsafeBufferPointer(stored.extracting(..<(rows.count * rect.width * 4))), to: band)
        }
      }
      try judge(decoder)
      progress.report(rows.upperBound - rect.y, of: rect.height)
    }
    try findCut(decoder)
  }

  private func inks() throws(FaceCropError) -> InkConversion? {
    if let madeInks { return madeInks }
    var made: InkConversion?
    if layout.colors == .inks, !file.profile.isEmpty {
      made = try InkConversion(from: file.profile)
      if made == nil { faults.note(.profileDropped) }
    }
    madeInks = .some(made)
    return made
  }

  // MARK: Damage

  /// Locates a truncation below the region, so that the region reports it too.
  private func findCut(_ decoder: TIFFDecoder) throws(FaceCropError) {
    if isCutFound { return }
    if let row = file.parts.firstCutRow, row < damagedRow ?? .max {
      try decoder.skip(row..<min(row + layout.rowsPerPart, file.size.height))
      try judge(decoder)
    }
    isCutFound = true
  }

  private func judge(_ decoder: TIFFDecoder) throws(FaceCropError) {
    guard let row = decoder.damagedRow, row < damagedRow ?? .max else { return }
    damagedRow = row
    let isCut = file.parts.firstCutRow.map { row >= $0 } ?? false
    try faults.judge(isCut ? .truncated(coarse: false) : .corrupt, intactRows: row, isTolerable: false)
  }
}
