internal import CJPEGShim

/// One JPEG file during one request: what the look learns stays for the render.
///
/// A file of one Huffman-coded scan is walked over once, for the overview and an index; then a region's bits alone are
/// decoded. A file of several scans is read once too: its coefficients gather in one decompressor, which gives the overview
/// as soon as it has enough of them, then any number of regions. All others, damaged ones among them, are read anew for each
/// region, down to the region's last row. The pixels are the same on every path.
@safe final class JPEGSession: ImageSession {
  let format = ImageFormat.jpeg
  let header: ImageHeader
  let scales = Array(1...8)
  var lastPath = DecodePath.sequential
  var sortedWarnings: [CropWarning] { faults.sorted }
  /// The file's color profile, which describes `header`'s pixels or, for CMYK, the stored ones.
  var profile: [UInt8]? { file.profile }
  var estimate: DecodingEstimate { file.estimate(fileBytes: unsafe bytes.buffer.count) }

  private let file: JPEGHeader
  let job: Job
  private let bytes: ImageBytes
  private let access: Access
  /// From a file's inks to sRGB, where its profile says how.
  private let inks: ColorConversion?
  private var faults: Faults
  /// The coefficients for regions at full size.
  private var scans: Scans?
  private var isLastRegion = false
  private var index: JPEGIndex?
  private var isIndexable: Bool

  /// How regions of files of one scan are decoded.
  enum Access {
    /// Through the index where that is faster.
    case fastest
    /// Through the index wherever there is one; for tests.
    case indexed
    /// Never through the index; for tests.
    case sequential
  }

  init(
    _ bytes: ImageBytes, allowsDamage: Bool, access: Access = .fastest, job: Job
  ) throws(FaceCropError) {
    file = try JPEGHeader(reading: unsafe bytes.buffer.span, limits: job.limits)
    header = file.image
    self.bytes = bytes
    self.access = access
    self.job = job
    isIndexable = access != .sequential && !file.hasSeveralScans
    faults = Faults(allowsDamage: allowsDamage, rows: file.size.height)
    inks =
      try file.isOfInks
      ? file.profile.flatMap { (profile) throws(FaceCropError) in try ColorConversion(ofInks: profile) } : nil
    if file.dropsProfile || (file.isOfInks && file.profile != nil && inks == nil) { faults.note(.profileDropped) }
  }

  /// Scans are counted by their markers: to find out by decoding them costs what they were made to cost.
  func admit() throws(FaceCropError) {
    guard file.hasSeveralScans else { return }
    try job.limits.check(.scans, try open().scans(atMost: job.limits.scans + 1))
  }

  // MARK: Overview

  /// The eighths of the full size at which an overview is decoded: those that bring the longer side nearest to 640 pixels,
  /// as a ratio; or one, if that is enough: it comes with the walk for the index, or with the first scan.
  static func overviewScale(for size: PixelSize, smallest: Int) -> Int {
    if size.longSide / 8 >= smallest { return 1 }
    let exact = 8 * Double(Overview.side) / Double(size.longSide)
    let below = min(max(exact.rounded(.down), 1), 8)
    let above = min(below + 1, 8)
    return Int(exact / below < above / exact ? below : above)
  }

  func overview(format: PixelBuffer.Format, smallest: Int) throws(FaceCropError) -> PixelBuffer {
    let scale = Self.overviewScale(for: header.size, smallest: smallest)
    var planes: [OverviewPlane]?
    if file.hasSeveralScans {
      planes = try overviewOfScans(scale: scale, format: format)
    } else if scale == 1 {
      planes = try overviewOfIndex(format: format)
    }
    let picture =
      if let planes {
        PixelBuffer(overview: planes, format: format)
      } else {
        try self.picture(PixelRect(whole: header.size, scale: scale), scale: scale, format: format, phase: .look)
      }
    return try picture.shrunk(toLongSide: Overview.side)
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

  func region(_ rect: PixelRect, scale: Int, part: (index: Int, count: Int)) throws(FaceCropError) -> PixelBuffer {
    try picture(rect, scale: scale, format: header.format, phase: .render, part: part)
  }

  var turnsWhileDecoding: Bool { true }

  func uprightRegion(
    _ rect: PixelRect, scale: Int, part: (index: Int, count: Int)
  ) throws(FaceCropError) -> PixelBuffer {
    try picture(rect, scale: scale, format: header.format, phase: .render, part: part, turned: header.orientation)
  }

  func rows(
    of rect: PixelRect, scale: Int, part: (index: Int, count: Int), _ take: TakeRows
  ) throws(FaceCropError) {
    try job.limits.check(.regionBytes, rect.size.bytes(channels: header.format.channels))
    try unsafe decode(rect, scale: scale, format: header.format, phase: .render, part: part, take)
  }

  func expectLastRegion() {
    isLastRegion = true
  }

  /// A rectangle that is turned while it is decoded.
  private func picture(
    _ rect: PixelRect, scale: Int, format: PixelBuffer.Format, phase: CropProgress.Phase,
    part: (index: Int, count: Int) = (0, 1), turned orientation: Orientation = .up
  ) throws(FaceCropError) -> PixelBuffer {
    try job.limits.check(.regionBytes, rect.size.bytes(channels: format.channels))
    let turner = BandTurner(orientation, stored: rect.size, format: format)
    return try unsafe PixelBuffer.filled(size: turner.size, format: format) { (pixels) throws(FaceCropError) in
      try unsafe decode(rect, scale: scale, format: format, phase: phase, part: part) { rows, first, count in
        unsafe turner.turn(rows, first: first, count: count, into: pixels)
      }
    }
  }

  private func decode(
    _ rect: PixelRect, scale: Int, format: PixelBuffer.Format, phase: CropProgress.Phase,
    part: (index: Int, count: Int),
    _ take: TakeRows
  ) throws(FaceCropError) {
    // Reading ahead, through all scans or up to the region, counts as much as the region's rows.
    let usesIndex = isWorthIndexing(rect, scale: scale)
    let rowsBefore = file.hasSeveralScans || usesIndex ? rect.height : 0
    let total = rowsBefore + rect.height
    func report(_ completed: Int) { job.report(phase, part.index * total + completed, of: part.count * total) }
    func reportBefore(_ fraction: Double) { report(Int(fraction * Double(rowsBefore))) }
    func reportRows(_ rows: Int) { report(rowsBefore + rows) }

    if file.hasSeveralScans {
      let isFullSize = scale == 8 && format == header.format
      let scans = try isFullSize ? fullSizeScans() : Scans(open(), scale: scale, color: color(for: format))
      try gather(scans, onlyFirst: false, progress: reportBefore)
      try scans.decoder.startScanRegion(rect, scale: scale, color: color(for: format))
      lastPath = .coefficients
      let releases = isFullSize && isLastRegion
      if releases { self.scans = nil }
      try unsafe rows(
        of: scans.decoder, size: rect.size, format: format, releases: releases, report: reportRows, take)
      return
    }
    if usesIndex, let index = try openIndex() {
      let isDone: Bool? = try unsafe index.withCut(of: rect, scale: scale, progress: reportBefore) {
        (file, inner) throws(FaceCropError) in
        let decoder = try unsafe JPEGDecoder(reading: file, isFileMapping: false, job: job)
        try decoder.startRegion(inner, scale: scale, color: color(for: format))
        // What the walk found whole is; if not, the plain way below decides.
        try unsafe rows(of: decoder, size: rect.size, format: format, judges: false, report: reportRows, take)
        return decoder.damage.kind == .none ? true : nil
      }
      if isDone != nil {
        lastPath = .index
        noteRemarks(of: index, includesLastRow: rect.y + rect.height == (header.size.height * scale + 7) / 8)
        return
      }
    }
    let decoder = try open()
    try decoder.startRegion(rect, scale: scale, color: color(for: format))
    lastPath = .sequential
    try unsafe rows(of: decoder, size: rect.size, format: format, report: reportRows, take)
  }

  /// The rows of a region at which `decoder` stands.
  ///
  /// - Parameter releases: the coefficients are given up behind them.
  private func rows(
    of decoder: JPEGDecoder, size: PixelSize, format: PixelBuffer.Format, judges: Bool = true, releases: Bool = false,
    report: (Int) -> Void, _ take: TakeRows
  ) throws(FaceCropError) {
    var band = [UInt8](repeating: 0, count: size.width * format.channels * file.rowsPerMCU)
    var strip = [UInt8](repeating: 0, count: format == .rgb && inks != nil ? size.width * 4 * file.rowsPerMCU : 0)
    var done = 0
    while done < size.height {
      try job.check()
      done += try unsafe band.withUnsafeMutableBufferPointer { (band) throws(FaceCropError) in
        let count = try unsafe read(decoder, size.width, format, into: band, strip: &strip)
        unsafe take(UnsafeBufferPointer(band), done, count)
        return count
      }
      if releases { decoder.releaseCoefficients() }
      if judges { try judge(decoder.damage) }
      report(done)
    }
  }

  /// The next rows, at most an iMCU of them; returns how many.
  ///
  /// - Parameter strip: for inks, if the file has any.
  private func read(
    _ decoder: JPEGDecoder, _ width: Int, _ format: PixelBuffer.Format,
    into band: UnsafeMutableBufferPointer<UInt8>, strip: inout [UInt8]
  ) throws(FaceCropError) -> Int {
    guard let inks, format == .rgb else {
      return try unsafe decoder.readRows(into: band, bytesPerRow: width * format.channels, count: file.rowsPerMCU)
    }
    return try unsafe strip.withUnsafeMutableBufferPointer { (strip) throws(FaceCropError) in
      let bytesPerRow = width * 4
      let count = try unsafe decoder.readRows(into: strip, bytesPerRow: bytesPerRow, count: file.rowsPerMCU)
      unsafe inks.convert(inks: UnsafeBufferPointer(strip.extracting(..<(count * bytesPerRow))), to: band)
      return count
    }
  }

  /// As what the decompressor is to give pixels in `format`.
  private func color(for format: PixelBuffer.Format) -> FCJPEGColor {
    format == .gray ? .gray : inks == nil ? .RGB : .CMYK
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

  func openIndex() throws(FaceCropError) -> JPEGIndex? {
    guard isIndexable else { return nil }
    if index == nil {
      index = try unsafe JPEGIndex(reading: bytes.buffer, isFileMapping: bytes.isFileMapping, job: job)
    }
    isIndexable = index?.isUsable ?? false
    return isIndexable ? index : nil
  }

  func noteRemarks(of index: JPEGIndex, includesLastRow: Bool) {
    if index.hasRemarks { faults.note(.irregular) }
    let rows = header.size.height
    if index.lacksEndMarker, includesLastRow {
      faults.note(.truncated(intactRows: rows, rows: rows, coarse: false))
    }
  }

  // MARK: Decompressors

  /// A new decompressor, for the whole file or its first bytes.
  private func open(upTo end: Int? = nil) throws(FaceCropError) -> JPEGDecoder {
    try unsafe JPEGDecoder(
      reading: UnsafeBufferPointer(rebasing: bytes.buffer[..<(end ?? bytes.buffer.count)]),
      isFileMapping: bytes.isFileMapping, job: job)
  }

  /// A decompressor that gathers coefficients, and how far it is.
  final class Scans {
    let scale: Int
    let color: FCJPEGColor
    var decoder: JPEGDecoder
    var isComplete = false

    init(_ decoder: JPEGDecoder, scale: Int, color: FCJPEGColor) throws(FaceCropError) {
      self.decoder = decoder
      self.scale = scale
      self.color = color
      try decoder.startScans(scale: scale, color: color)
    }
  }

  func fullSizeScans() throws(FaceCropError) -> Scans {
    if let scans { return scans }
    let opened = try Scans(open(), scale: 8, color: color(for: header.format))
    scans = opened
    return opened
  }

  /// Gathers the coefficients of the first scan, or of all.
  func gather(_ scans: Scans, onlyFirst: Bool, progress: (Double) -> Void) throws(FaceCropError) {
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
        try scans.decoder.startScans(scale: scans.scale, color: scans.color)
      }
    }
  }

  // MARK: Damage

  /// Damage that is confined to the last row of MCUs is tolerable: many cameras' files lack a few bytes at their end, of
  /// which nothing can be seen.
  private func judge(_ damage: JPEGDecoder.Damage) throws(FaceCropError) {
    if damage.hasRemarks { faults.note(.irregular) }
    guard damage.kind != .none else { return }
    try faults.judge(
      damage.kind == .truncated ? .truncated(coarse: file.isProgressive && damage.scan > 1) : .corrupt,
      intactRows: damage.intactRows,
      isTolerable: damage.intactRows > 0 && damage.intactRows >= file.size.height - file.rowsPerMCU)
  }
}
