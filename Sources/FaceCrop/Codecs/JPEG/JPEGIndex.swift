internal import CJPEGShim

/// Random access to a file with one Huffman-coded scan. One walk over its data gives the overview and any region.
///
/// The walk goes only as far as needed. It does not judge damage: after the first fault the index is unusable, and the
/// ordinary decoder takes over.
@safe final class JPEGIndex: ShimObject, BlockEditor {
  private let job: Job
  private(set) var isUsable = true
  /// Whether an edit has stopped because the Huffman tables lack a code.
  private var lacksCode = false

  /// The overview's scale in eighths: 1, or 2, which takes slightly longer, or 4 with cached coefficients.
  let scale: Int
  /// Whether the walk stores all coefficients, from which ``decoder(of:scale:color:)`` makes pixels. More than 4 MiB of
  /// them count as a fault.
  let keepsCoefficients: Bool

  /// Creates an index; nil for other files.
  init?(
    reading bytes: UnsafeBufferPointer<UInt8>, isFileMapping: Bool, overviewScale: Int = 1,
    keepsCoefficients: Bool = false, job: Job
  ) throws(FaceCropError) {
    self.job = job
    scale = overviewScale
    self.keepsCoefficients = keepsCoefficients
    let source = unsafe FCJPEGSource(bytes, isFileMapping: isFileMapping, job: job)
    try unsafe super.init(fcjpeg_index_create(source), fcjpeg_index_destroy)
    guard try passes(unsafe fcjpeg_index_start(handle, UInt32(overviewScale), keepsCoefficients)) else { return nil }
  }

  private var grid: FCJPEGGrid { unsafe fcjpeg_index_grid(handle) }
  var mcu: PixelSize { grid.mcu }
  private var columns: Int { Int(grid.columns) }
  private var rows: Int { Int(grid.rows) }
  /// Whether the file ended without its end marker.
  var lacksEndMarker: Bool { unsafe fcjpeg_index_lacks_end_marker(handle) }
  var hasRemarks: Bool { unsafe fcjpeg_index_remarks(handle) > 0 }
  /// The number of planes for an overview: luma, and chroma for YCbCr.
  var overviewPlanes: Int { unsafe Int(fcjpeg_index_overview_planes(handle)) }

  /// Creates an overview of the first planes at `scale`; nil after a fault.
  func overview(planes count: Int, format: PixelBuffer.Format) throws(FaceCropError) -> PixelBuffer? {
    guard try scan(upTo: rows, report: { [job, rows] row in job.report(.overview, row, of: rows) }) else { return nil }
    let planes = (0..<count).map { unsafe OverviewPlane(fcjpeg_index_plane(handle, UInt32($0))) }
    let overview = try unsafe PixelBuffer(overview: planes, format: format) {
      (plane, row, pixels) throws(FaceCropError) in
      unsafe pixels.initialize(repeating: 0)
      guard isUsable else { return }
      _ = try passes(
        unsafe fcjpeg_index_read_overview(
          handle, UInt32(plane), UInt32(row), pixels.baseAddress!, UInt32(pixels.count)))
    }
    return isUsable ? overview : nil
  }

  /// Cuts the surroundings of a region, in the image scaled to `scale` eighths, into a JPEG file. Calls `body` with the
  /// file, valid during the call, and the region's rectangle in its image at that scale. Returns the result of `body`;
  /// nil, without calling it, after a fault, or if the file cannot be written.
  func withCut<Result>(
    of rect: PixelRect, scale: Int, progress: (_ fraction: Double) -> Void,
    _ body: (_ file: UnsafeBufferPointer<UInt8>, _ rect: PixelRect) throws(FaceCropError) -> Result?
  ) throws(FaceCropError) -> Result? {
    let (mcus, inner) = surroundings(of: rect, scale: scale)
    return try unsafe withCut(of: mcus, progress: progress) { (file) throws(FaceCropError) in
      try unsafe body(file, inner)
    }
  }

  /// Returns the MCUs that affect a region's pixels, and the region's rectangle in them.
  private func surroundings(of rect: PixelRect, scale: Int) -> (mcus: MCURect, rect: PixelRect) {
    let mcu = PixelSize(width: mcu.width * scale / 8, height: mcu.height * scale / 8)
    // Chroma upsampling reaches over the region's border, so the cut includes the needed pixels. It has at least a
    // whole block at this scale, so that libjpeg upsamples it like the whole image.
    let margin = (8 + scale - 1) / scale
    func span(_ start: Int, _ length: Int, _ mcu: Int, _ count: Int) -> Range<Int> {
      max(start / mcu - margin, 0)..<min((start + length + mcu - 1) / mcu + margin, count)
    }
    let mcus = MCURect(
      columns: span(rect.x, rect.width, mcu.width, columns), rows: span(rect.y, rect.height, mcu.height, rows))
    let inner = PixelRect(
      x: rect.x - mcus.columns.lowerBound * mcu.width, y: rect.y - mcus.rows.lowerBound * mcu.height,
      width: rect.width, height: rect.height)
    return (mcus, inner)
  }

  /// Returns a decompressor for a region, in the image scaled to `scale` eighths, from the cached coefficients; nil
  /// after a fault. It does not need the index afterwards.
  func decoder(of rect: PixelRect, scale: Int, color: FCColor) throws(FaceCropError) -> JPEGDecoder? {
    let (mcus, inner) = surroundings(of: rect, scale: scale)
    guard try scan(upTo: mcus.rows.upperBound, report: { _ in }) else { return nil }
    var opened: OpaquePointer?
    guard try passes(unsafe fcjpeg_index_open(handle, mcus.cut, Int32(scale), color, &opened)) else { return nil }
    let decoder = try unsafe JPEGDecoder(owning: opened, job: job)
    try decoder.startScanRegion(inner, scale: scale, color: color)
    return decoder
  }

  /// Cuts MCUs into a JPEG file, and calls `body` with it, valid during the call. Returns the result of `body`; nil,
  /// without calling it, after a fault, or if the file cannot be written.
  func withCut<Result>(
    of mcus: MCURect, progress: (_ fraction: Double) -> Void,
    _ body: (_ file: UnsafeBufferPointer<UInt8>) throws(FaceCropError) -> Result?
  ) throws(FaceCropError) -> Result? {
    let end = mcus.rows.upperBound
    guard try scan(upTo: end, report: { progress(Double($0) / Double(end)) }) else { return nil }
    var bytes = unsafe FCBytes()
    guard try passes(unsafe fcjpeg_index_cut(handle, mcus.cut, &bytes)) else { return nil }
    return try unsafe body(UnsafeBufferPointer(bytes))
  }

  /// Writes the file again, with the blocks that `edit` changes, and without metadata. Calls `body` with it, valid during
  /// the call. Returns the result of `body`; nil, without calling it, after a fault. `edit` is called again if the file's
  /// Huffman tables lack a code for the new blocks.
  func withEdited<Result>(
    progress: (_ fraction: Double) -> Void, edit: (any BlockEditor) throws(FaceCropError) -> Void,
    _ body: (_ file: UnsafeBufferPointer<UInt8>) throws(FaceCropError) -> Result
  ) throws(FaceCropError) -> Result? {
    guard try scan(upTo: rows, report: { [rows] in progress(Double($0) / Double(rows)) }) else { return nil }
    for completesTables in [false, true] {
      guard try passes(unsafe fcjpeg_index_edit_start(handle, completesTables)) else { return nil }
      lacksCode = false
      try edit(self)
      if !lacksCode { break }
    }
    var bytes = unsafe FCBytes()
    guard isUsable, !lacksCode, try passes(unsafe fcjpeg_index_edit_finish(handle, &bytes)) else { return nil }
    return try unsafe body(UnsafeBufferPointer(bytes))
  }

  var components: [FCJPEGBlocks] {
    unsafe (0..<fcjpeg_index_components(handle)).map { unsafe fcjpeg_index_blocks(handle, $0) }
  }

  func means(of component: Int, in rect: PixelRect) throws(FaceCropError) -> [Float] {
    var means = [Float](repeating: 0, count: rect.width * rect.height)
    _ = try passes(unsafe fcjpeg_index_means(handle, UInt32(component), FCJPEGRect(rect), &means, means.count))
    return means
  }

  /// Edits entropy-coded data. After a fault it does nothing.
  func edit(row: Int, _ strips: UnsafePointer<FCJPEGStrip>?) throws(FaceCropError) {
    guard isUsable, !lacksCode else { return }
    let status = unsafe fcjpeg_index_edit_row(handle, strips)
    lacksCode = status == .unsupported
    if !lacksCode { _ = try passes(status) }
  }

  /// Continues the walk until `row` rows of MCUs are known; false after a fault.
  private func scan(upTo row: Int, report: (Int) -> Void) throws(FaceCropError) -> Bool {
    guard isUsable else { return false }
    while unsafe Int(fcjpeg_index_rows_scanned(handle)) < row {
      let scanned = unsafe Int(fcjpeg_index_rows_scanned(handle))
      guard try passes(unsafe fcjpeg_index_scan(handle, UInt32(min(row - scanned, 8)))) else { return false }
      report(unsafe Int(fcjpeg_index_rows_scanned(handle)))
    }
    return true
  }

  /// Returns false if the index is unusable for this file. Cancellation and lack of memory are errors.
  private func passes(_ status: FCStatus) throws(FaceCropError) -> Bool {
    if status == .cancelled || status == .outOfMemory { try status.check("") }
    if status != .ok { isUsable = false }
    return status == .ok
  }
}

extension FCJPEGSource {
  init(_ bytes: UnsafeBufferPointer<UInt8>, isFileMapping: Bool, job: Job) {
    unsafe self.init(
      bytes: bytes.baseAddress!, count: bytes.count, isFileMapping: isFileMapping,
      maximumScans: Int32(clamping: job.limits.scans), maximumCoefficientBytes: job.limits.coefficientBytes,
      cancellation: job.cancellation.flag)
  }
}
