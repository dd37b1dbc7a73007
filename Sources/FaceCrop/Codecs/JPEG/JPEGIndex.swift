internal import CJPEGShim

/// Random access to a file of one Huffman-coded scan: the overview and any region, from one walk over its data.
///
/// The walk goes only as far as was needed. It says nothing about damage: at the first thing that is wrong it is of no more
/// use, and the ordinary decoder decides what the file is worth.
@safe final class JPEGIndex {
  private let handle: OpaquePointer
  private let job: Job
  private(set) var isUsable = true

  /// The eighths of the full size that its overview has: 1, or 2, for which the walk takes a little longer; 4, where coefficients are
  /// kept.
  let scale: Int
  /// The walk reads all coefficients, of which ``decoder(of:scale:color:)`` makes pixels. It finds something wrong where they take more
  /// than 4 MiB.
  let keepsCoefficients: Bool

  /// Nil when the file is of another kind.
  init?(
    reading bytes: UnsafeBufferPointer<UInt8>, isFileMapping: Bool, overviewScale: Int = 1,
    keepsCoefficients: Bool = false, job: Job
  ) throws(FaceCropError) {
    self.job = job
    scale = overviewScale
    self.keepsCoefficients = keepsCoefficients
    let source = unsafe FCJPEGSource(bytes, isFileMapping: isFileMapping, job: job)
    let made = unsafe fcjpeg_index_create(source)
    guard let made = unsafe made else { throw .outOfMemory }
    unsafe handle = made
    guard try check(unsafe fcjpeg_index_start(handle, UInt32(overviewScale), keepsCoefficients)) else { return nil }
  }

  deinit {
    unsafe fcjpeg_index_destroy(handle)
  }

  /// Pixels of one MCU.
  var mcu: PixelSize {
    PixelSize(width: unsafe Int(fcjpeg_index_mcu_width(handle)), height: unsafe Int(fcjpeg_index_mcu_height(handle)))
  }
  private var columns: Int { unsafe Int(fcjpeg_index_columns(handle)) }
  private var rows: Int { unsafe Int(fcjpeg_index_rows(handle)) }
  /// The walk came to the end of the file where the end marker should be.
  var lacksEndMarker: Bool { unsafe fcjpeg_index_lacks_end_marker(handle) }
  var hasRemarks: Bool { unsafe fcjpeg_index_remarks(handle) > 0 }
  /// How many planes an overview can be made of: luma, and chroma where it is YCbCr.
  var overviewPlanes: Int { unsafe Int(fcjpeg_index_overview_planes(handle)) }

  /// An overview of the first planes, at its scale; nil when the walk finds something wrong.
  func overview(planes count: Int, format: PixelBuffer.Format) throws(FaceCropError) -> PixelBuffer? {
    guard try scan(upTo: rows, report: { [job, rows] row in job.report(.look, row, of: rows) }) else { return nil }
    let planes = (0..<count).map { unsafe OverviewPlane(fcjpeg_index_plane(handle, UInt32($0))) }
    let overview = try unsafe PixelBuffer(overview: planes, format: format) {
      (plane, row, pixels) throws(FaceCropError) in
      unsafe pixels.initialize(repeating: 0)
      guard isUsable else { return }
      _ = try check(
        unsafe fcjpeg_index_read_overview(
          handle, UInt32(plane), UInt32(row), pixels.baseAddress!, UInt32(pixels.count)))
    }
    return isUsable ? overview : nil
  }

  /// A part of the picture as a JPEG file, and where the region lies in it.
  ///
  /// - Parameters:
  ///   - rect: in the picture scaled to `scale` eighths.
  ///   - body: gets the file, which lives as long as it runs, and the rectangle in its picture at that scale.
  /// - Returns: what `body` does; nil, without calling it, when the walk finds something wrong or the file cannot be written.
  func withCut<Result>(
    of rect: PixelRect, scale: Int, progress: (_ fraction: Double) -> Void,
    _ body: (_ file: UnsafeBufferPointer<UInt8>, _ rect: PixelRect) throws(FaceCropError) -> Result?
  ) throws(FaceCropError) -> Result? {
    let (mcus, inner) = surroundings(of: rect, scale: scale)
    return try unsafe withCut(of: mcus, progress: progress) { (file) throws(FaceCropError) in
      try unsafe body(file, inner)
    }
  }

  /// The MCUs that a region's pixels depend on, and where it lies in them.
  private func surroundings(of rect: PixelRect, scale: Int) -> (mcus: MCURect, rect: PixelRect) {
    let mcu = PixelSize(width: mcu.width * scale / 8, height: mcu.height * scale / 8)
    // The upsampling of color reaches over the region's border. What it reaches for has to be there, and the cut has to be
    // large enough that libjpeg upsamples it as it does the whole picture: a whole block of pixels at this scale.
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

  /// A decompressor that stands at a region, with the coefficients that were kept; nil when the walk finds something wrong. Needs the
  /// index no more.
  ///
  /// - Parameter rect: in the picture scaled to `scale` eighths.
  func decoder(of rect: PixelRect, scale: Int, color: FCJPEGColor) throws(FaceCropError) -> JPEGDecoder? {
    let (mcus, inner) = surroundings(of: rect, scale: scale)
    guard try scan(upTo: mcus.rows.upperBound, report: { _ in }) else { return nil }
    var opened: OpaquePointer?
    guard try check(unsafe fcjpeg_index_open(handle, mcus.cut, Int32(scale), color, &opened)) else { return nil }
    let decoder = unsafe JPEGDecoder(owning: opened!, job: job)
    try decoder.startScanRegion(inner, scale: scale, color: color)
    return decoder
  }

  /// Some MCUs as a JPEG file.
  ///
  /// - Parameter body: gets the file, which lives as long as it runs.
  /// - Returns: what `body` does; nil, without calling it, when the walk finds something wrong or the file cannot be written.
  func withCut<Result>(
    of mcus: MCURect, progress: (_ fraction: Double) -> Void,
    _ body: (_ file: UnsafeBufferPointer<UInt8>) throws(FaceCropError) -> Result?
  ) throws(FaceCropError) -> Result? {
    let end = mcus.rows.upperBound
    guard try scan(upTo: end, report: { progress(Double($0) / Double(end)) }) else { return nil }
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    guard try check(unsafe fcjpeg_index_cut(handle, mcus.cut, &bytes, &count)) else { return nil }
    return try unsafe body(UnsafeBufferPointer(start: bytes, count: count))
  }

  /// Walks on until `row` rows of MCUs are known; false when something is wrong.
  private func scan(upTo row: Int, report: (Int) -> Void) throws(FaceCropError) -> Bool {
    guard isUsable else { return false }
    while unsafe Int(fcjpeg_index_rows_scanned(handle)) < row {
      let scanned = unsafe Int(fcjpeg_index_rows_scanned(handle))
      guard try check(unsafe fcjpeg_index_scan(handle, UInt32(min(row - scanned, 8)))) else { return false }
      report(unsafe Int(fcjpeg_index_rows_scanned(handle)))
    }
    return true
  }

  /// False when the index is of no use for this file; cancellation and lack of memory are errors.
  private func check(_ status: FCJPEGStatus) throws(FaceCropError) -> Bool {
    switch status {
    case .ok: return true
    case .cancelled: throw .cancelled
    case .outOfMemory: throw .outOfMemory
    default:
      isUsable = false
      return false
    }
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
