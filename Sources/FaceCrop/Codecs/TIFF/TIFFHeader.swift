internal import CTIFFShim

/// The header of a page of a TIFF file. It checks every number that libtiff gets later.
struct TIFFHeader {
  let size: PixelSize
  /// The pages of the file.
  let pageCount: Int
  let layout: TIFFLayout
  let parts: TIFFParts
  let streams: TIFFStreams
  /// The palette in RGBA, with 256 colors; empty for none.
  let palette: [UInt8]
  /// The directory for libtiff, with only the needed entries.
  let directory: TIFFDirectory
  /// The ICC profile; empty for none.
  let profile: [UInt8]
  /// The EXIF data without JPEG's "Exif\0\0"; empty for none.
  let exif: [UInt8]
  let credits: CreditSources

  init(reading bytes: ImageBytes, job: Job) throws(FaceCropError) {
    guard let file = TIFFFile(bytes), let first = file.firstDirectory else {
      throw .corrupt("the file ends inside its header")
    }
    let pages = try file.directories(from: first, job)
    pageCount = pages.count
    let entries = try Self.page(bytes.page, of: pages, in: file, job)
    guard let width = file.number(entries[TIFFTag.width]), let height = file.number(entries[TIFFTag.height]),
      width > 0, height > 0
    else { throw .corrupt("the page has no size") }
    size = PixelSize(width: width, height: height)
    try job.limits.check(size)
    // BigTIFF has 64-bit numbers, whose products could overflow.
    guard size.longSide <= Int(Int32.max) else {
      throw .unsupported("the page is \(width)×\(height), and sides are limited to 32 bits")
    }
    var layout = try TIFFLayout(file, entries, size)
    var parts = try TIFFParts(file, entries, layout, size, job)
    if layout.isSplittable && parts.offsets.count == 1 { parts.split(&layout, size) }
    if layout.isJPEG { try Self.checkProcess(of: parts, bytes, job) }
    streams = try TIFFStreams(bytes, layout, &parts, size, job)
    (self.layout, self.parts) = (layout, parts)
    palette = try layout.colors == .palette ? Self.palette(file, entries[TIFFTag.colorMap], bits: layout.bits) : []
    directory = TIFFDirectory(file, entries, layout, parts, size)
    let profile = entries[TIFFTag.profile]
    try job.limits.check(.metadataBytes, profile?.values.count ?? 0)
    self.profile = profile.map { file.bytes($0) } ?? []
    exif = try file.exif(entries, job)
    credits = file.credits(entries)
    try job.limits.check(.metadataBytes, self.profile.count + exif.count)
  }

  /// Reads the entries of a page. Nil means the first page, or the first one that is no reduced image (NewSubfileType,
  /// TIFF 6.0, section 8) if that is one.
  private static func page(
    _ number: Int?, of pages: [Int], in file: TIFFFile, _ job: Job
  ) throws(FaceCropError) -> [Int: TIFFFile.Entry] {
    if let number {
      guard pages.indices.contains(number - 1) else {
        throw .invalidRequest("the file has no page \(number), but \(pages.count) (choose another page)")
      }
      return try file.entries(at: pages[number - 1], job)
    }
    func isReduced(_ entries: [Int: TIFFFile.Entry]) -> Bool {
      (file.number(entries[TIFFTag.subfileType]) ?? 0) & 1 == 1
    }
    let first = try file.entries(at: pages[0], job)
    guard isReduced(first) else { return first }
    for page in pages.dropFirst() {
      let entries = try file.entries(at: page, job)
      if !isReduced(entries), file.number(entries[TIFFTag.width]) != nil { return entries }
    }
    return first
  }

  /// Checks the coding process of JPEG data. libtiff would only report invalid data for a process that libjpeg lacks.
  private static func checkProcess(
    of parts: TIFFParts, _ bytes: ImageBytes, _ job: Job
  ) throws(FaceCropError) {
    guard let offset = parts.offsets.first, let count = parts.counts.first, count > 2 else { return }
    let part = unsafe bytes.buffer.span.extracting(offset..<offset + count)
    if let name = try JPEGProcess.unsupported(in: part, job) {
      throw .unsupported("the TIFF has \(name) (save the file with LZW or deflate)")
    }
  }

  /// Reads a palette: all reds, all greens, all blues, with 16 bits each, or 8 in some files.
  private static func palette(
    _ file: TIFFFile, _ entry: TIFFFile.Entry?, bits: Int
  ) throws(FaceCropError) -> [UInt8] {
    let count = 1 << bits
    let levels = (0..<3 * count).compactMap { file.number(entry, at: $0) }
    guard levels.count == 3 * count else { throw .corrupt("the palette is missing") }
    let isOfBytes = levels.allSatisfy { $0 < 256 }
    return (0..<256).flatMap { (index: Int) -> [UInt8] in
      guard index < count else { return [0, 0, 0, 255] }
      return (0..<3).map { UInt8(truncatingIfNeeded: levels[$0 * count + index] >> (isOfBytes ? 0 : 8)) } + [255]
    }
  }
}
