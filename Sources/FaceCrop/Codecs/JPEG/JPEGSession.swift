/// One JPEG file during one request: what the look learns stays for the render.
///
/// A file of one Huffman-coded scan is walked over once, for the overview and an index; then a region's bits alone are
/// decoded. A file of several scans is read once too: its coefficients gather in one decompressor, which gives the overview
/// as soon as it has enough of them, then any number of regions. All others, damaged ones among them, are read anew for each
/// region, down to the region's last row. The pixels are the same on every path.
@safe final class JPEGSession {
  let header: JPEGHeader
  private var warnings: Set<CropWarning> = []
  var sortedWarnings: [CropWarning] { warnings.sorted { $0.description < $1.description } }

  private let bytes: UnsafeBufferPointer<UInt8>
  private let isFileMapping: Bool
  private let job: Job
  private let allowsDamage: Bool
  private let access: Access
  /// The coefficients for regions at full size.
  private var scans: Scans?
  private var index: JPEGIndex?
  private var isIndexable: Bool
  /// How the last overview or region was decoded.
  private(set) var lastPath = DecodePath.sequential

  /// How regions of files of one scan are decoded.
  enum Access {
    /// Through the index where that is faster.
    case fastest
    /// Through the index wherever there is one; for tests.
    case indexed
    /// Never through the index; for tests.
    case sequential
  }

  /// Pixels of the overview's longer side that suit the detectors: above it they lose time, far below it faces.
  static let overviewSide = 640

  /// Opens the file for as long as `body` runs.
  static func with<Result>(
    _ bytes: Span<UInt8>, isFileMapping: Bool, allowsDamage: Bool, access: Access = .fastest, job: Job,
    _ body: (JPEGSession) throws(FaceCropError) -> Result
  ) throws(FaceCropError) -> Result {
    let header = try JPEGHeader(reading: bytes, limits: job.limits)
    // `withUnsafeBufferPointer` knows no typed errors together with spans, so the outcome is carried out as a value.
    let outcome: Swift.Result<Result, FaceCropError> = unsafe bytes.withUnsafeBufferPointer { bytes in
      let session = unsafe JPEGSession(
        header, bytes, isFileMapping: isFileMapping, allowsDamage: allowsDamage, access: access, job: job)
      return Swift.Result { () throws(FaceCropError) in try body(session) }
    }
    return try outcome.get()
  }

  private init(
    _ header: JPEGHeader, _ bytes: UnsafeBufferPointer<UInt8>, isFileMapping: Bool, allowsDamage: Bool, access: Access,
    job: Job
  ) {
    self.header = header
    unsafe self.bytes = bytes
    self.isFileMapping = isFileMapping
    self.allowsDamage = allowsDamage
    self.access = access
    self.job = job
    isIndexable = access != .sequential && !header.hasSeveralScans
    if header.dropsProfile { warnings.insert(.profileDropped) }
  }

  private var format: PixelBuffer.Format { header.isGray ? .gray : .rgb }

  // MARK: Overview

  /// The eighths of the full size at which an overview is decoded: those that bring the longer side nearest to 640 pixels,
  /// as a ratio.
  static func overviewScale(for size: PixelSize) -> Int {
    let exact = 8 * Double(overviewSide) / Double(size.longSide)
    let below = min(max(exact.rounded(.down), 1), 8)
    let above = min(below + 1, 8)
    return Int(exact / below < above / exact ? below : above)
  }

  /// The whole picture as stored, at most 640 pixels on its longer side.
  func overview(format: PixelBuffer.Format = .gray) throws(FaceCropError) -> PixelBuffer {
    let scale = Self.overviewScale(for: header.size)
    var planes: [OverviewPlane]?
    if header.hasSeveralScans {
      planes = try overviewOfScans(scale: scale, format: format)
    } else if scale == 1 {
      planes = try overviewOfIndex(format: format)
    }
    let picture =
      if let planes {
        PixelBuffer(overview: planes, format: format)
      } else {
        try region(PixelRect(whole: header.size, scale: scale), scale: scale, format: format, phase: .look)
      }
    return try picture.shrunk(toLongSide: Self.overviewSide)
  }

  /// How many of the planes that there are a picture in `format` is made of; nil when it cannot be made of them.
  private func planes(for format: PixelBuffer.Format, of available: Int) -> Int? {
    if format == .gray || header.isGray { return available >= 1 ? 1 : nil }
    return available == 3 ? 3 : nil
  }

  /// Nil when the file has no index, or not the planes.
  private func overviewOfIndex(format: PixelBuffer.Format) throws(FaceCropError) -> [OverviewPlane]? {
    guard let index = try openIndex(), let count = planes(for: format, of: index.overviewPlanes) else { return nil }
    let planes = try index.overview(planes: count)
    if planes != nil {
      lastPath = .index
      noteRemarks(of: index, includesLastRow: true)
    }
    return planes
  }

  /// Nil when the file has not the planes.
  private func overviewOfScans(scale: Int, format: PixelBuffer.Format) throws(FaceCropError) -> [OverviewPlane]? {
    let scans = try fullSizeScans()
    guard let count = planes(for: format, of: scans.decoder.overviewPlanes) else { return nil }
    let height = header.size.height
    // The DC coefficients are the picture at 1/8, and progressive files begin with them.
    try gather(scans, onlyFirst: scale == 1 && scans.decoder.firstScanIsDC(ofPlanes: count)) { [job] fraction in
      job.report(.look, Int(fraction * Double(height)), of: height)
    }
    var planes: [OverviewPlane] = []
    for component in 0..<count { planes.append(try scans.decoder.overviewPlane(component, scale: scale)) }
    lastPath = .coefficients
    return planes
  }

  // MARK: Regions

  /// A rectangle of the picture as stored, with the pixels that decoding all of it would give.
  ///
  /// - Parameters:
  ///   - rect: inside the picture scaled to `ceil(side · scale / 8)`.
  ///   - scale: eighths of the full size, 1…8.
  ///   - part: which of how many regions of the same phase this is, for progress that does not go back.
  func region(
    _ rect: PixelRect, scale: Int = 8, format: PixelBuffer.Format? = nil, phase: CropProgress.Phase = .render,
    part: (index: Int, count: Int) = (0, 1)
  ) throws(FaceCropError) -> PixelBuffer {
    let format = format ?? self.format
    try job.limits.check(.regionBytes, rect.width * rect.height * format.channels)
    // Reading ahead, through all scans or up to the region, counts as much as the region's rows.
    let usesIndex = isWorthIndexing(rect, scale: scale)
    let rowsBefore = header.hasSeveralScans || usesIndex ? rect.height : 0
    let total = rowsBefore + rect.height
    func report(_ completed: Int) { job.report(phase, part.index * total + completed, of: part.count * total) }
    func reportBefore(_ fraction: Double) { report(Int(fraction * Double(rowsBefore))) }
    func reportRows(_ rows: Int) { report(rowsBefore + rows) }

    if header.hasSeveralScans {
      let isFullSize = scale == 8 && format == self.format
      let scans = try isFullSize ? fullSizeScans() : Scans(open(), scale: scale, format: format)
      try gather(scans, onlyFirst: false, progress: reportBefore)
      try scans.decoder.startScanRegion(rect, scale: scale, format: format)
      lastPath = .coefficients
      return try rows(of: scans.decoder, size: rect.size, format: format, report: reportRows)
    }
    if usesIndex, let index = try openIndex() {
      let picture = try unsafe index.withCut(of: rect, scale: scale, progress: reportBefore) {
        (file, inner) throws(FaceCropError) in
        let decoder = try unsafe JPEGDecoder(reading: file, isFileMapping: false, job: job)
        try decoder.startRegion(inner, scale: scale, format: format)
        // What the walk found whole is; if not, the plain way below decides.
        let picture = try rows(of: decoder, size: rect.size, format: format, judges: false, report: reportRows)
        return decoder.damage.kind == .none ? picture : nil
      }
      if let picture {
        lastPath = .index
        noteRemarks(of: index, includesLastRow: rect.y + rect.height == (header.size.height * scale + 7) / 8)
        return picture
      }
    }
    let decoder = try open()
    try decoder.startRegion(rect, scale: scale, format: format)
    lastPath = .sequential
    return try rows(of: decoder, size: rect.size, format: format, report: reportRows)
  }

  /// The rows of a region at which `decoder` stands.
  private func rows(
    of decoder: JPEGDecoder, size: PixelSize, format: PixelBuffer.Format, judges: Bool = true, report: (Int) -> Void
  ) throws(FaceCropError) -> PixelBuffer {
    let bytesPerRow = size.width * format.channels
    return try unsafe PixelBuffer.filled(size: size, format: format) { (rows) throws(FaceCropError) in
      var done = 0
      while done < size.height {
        try job.check()
        done += try unsafe decoder.readRows(
          into: rows.extracting((done * bytesPerRow)...), bytesPerRow: bytesPerRow, count: header.rowsPerMCU)
        if judges { try judge(decoder.damage) }
        report(done)
      }
    }
  }

  // MARK: Index

  /// Whether the index makes a region cheaper: it saves the entropy decoding of what lies above and beside, and costs a walk
  /// over it and tables.
  private func isWorthIndexing(_ rect: PixelRect, scale: Int) -> Bool {
    guard isIndexable, access != .indexed else { return isIndexable }
    let above = header.size.width * (rect.y + rect.height) * 8 / scale
    let region = rect.width * rect.height * 64 / (scale * scale)
    return above > 1_000_000 && region * 2 < above
  }

  private func openIndex() throws(FaceCropError) -> JPEGIndex? {
    guard isIndexable else { return nil }
    if index == nil {
      index = try unsafe JPEGIndex(reading: bytes, isFileMapping: isFileMapping, job: job)
    }
    isIndexable = index?.isUsable ?? false
    return isIndexable ? index : nil
  }

  private func noteRemarks(of index: JPEGIndex, includesLastRow: Bool) {
    if index.hasRemarks { warnings.insert(.irregular) }
    let rows = header.size.height
    if index.lacksEndMarker, includesLastRow {
      warnings.insert(.truncated(intactRows: rows, rows: rows, coarse: false))
    }
  }

  // MARK: Decompressors

  /// A new decompressor, for the whole file or its first bytes.
  private func open(upTo end: Int? = nil) throws(FaceCropError) -> JPEGDecoder {
    try unsafe JPEGDecoder(
      reading: UnsafeBufferPointer(rebasing: bytes[..<(end ?? bytes.count)]), isFileMapping: isFileMapping, job: job)
  }

  /// A decompressor that gathers coefficients, and how far it is.
  private final class Scans {
    let scale: Int
    let format: PixelBuffer.Format
    var decoder: JPEGDecoder
    var isComplete = false

    init(_ decoder: JPEGDecoder, scale: Int, format: PixelBuffer.Format) throws(FaceCropError) {
      self.decoder = decoder
      self.scale = scale
      self.format = format
      try decoder.startScans(scale: scale, format: format)
    }
  }

  private func fullSizeScans() throws(FaceCropError) -> Scans {
    if let scans { return scans }
    let opened = try Scans(open(), scale: 8, format: format)
    scans = opened
    return opened
  }

  /// Gathers the coefficients of the first scan, or of all.
  private func gather(_ scans: Scans, onlyFirst: Bool, progress: (Double) -> Void) throws(FaceCropError) {
    while !scans.isComplete {
      switch try scans.decoder.absorb(onlyFirstScan: onlyFirst) {
      case .goesOn:
        try judge(scans.decoder.damage)
        progress(scans.decoder.fractionRead)
      case .finished:
        try judge(scans.decoder.damage)
        scans.isComplete = !onlyFirst
        return
      case .cutOff(let end):
        try judge(JPEGDecoder.Damage(kind: .truncated, intactRows: 0, scan: 2, hasRemarks: false))
        // Once more, up to where a whole scan ends.
        scans.decoder = try open(upTo: end)
        try scans.decoder.startScans(scale: scans.scale, format: scans.format)
      }
    }
  }

  // MARK: Damage

  /// Throws for damage, unless the request allows it or it is confined to the last row of MCUs: many cameras' files lack
  /// a few bytes at their end, of which nothing can be seen.
  private func judge(_ damage: JPEGDecoder.Damage) throws(FaceCropError) {
    if damage.hasRemarks { warnings.insert(.irregular) }
    guard damage.kind != .none else { return }
    let rows = header.size.height
    let isTolerable = damage.intactRows > 0 && damage.intactRows >= rows - header.rowsPerMCU
    let isCoarse = header.isProgressive && damage.scan > 1
    if damage.kind == .truncated {
      guard isTolerable || allowsDamage else {
        throw .truncated(intactRows: damage.intactRows, rows: rows, coarse: isCoarse)
      }
      warnings.insert(.truncated(intactRows: damage.intactRows, rows: rows, coarse: isCoarse))
    } else {
      guard isTolerable || allowsDamage else {
        throw .corrupt("the picture data make no sense below row \(damage.intactRows) of \(rows)")
      }
      warnings.insert(.corrupt(intactRows: damage.intactRows, rows: rows))
    }
  }
}

extension PixelRect {
  /// All of a picture of `size`, scaled to that many eighths as libjpeg does it.
  init(whole size: PixelSize, scale: Int) {
    self.init(x: 0, y: 0, width: (size.width * scale + 7) / 8, height: (size.height * scale + 7) / 8)
  }
}
