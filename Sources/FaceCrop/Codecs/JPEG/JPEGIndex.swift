internal import CJPEGShim

/// Random access to a file of one Huffman-coded scan: the overview and any region, from one walk over its data.
///
/// The walk goes only as far as was needed. It says nothing about damage: at the first thing that is wrong it is of no more
/// use, and the ordinary decoder decides what the file is worth.
@safe final class JPEGIndex {
  private let handle: OpaquePointer
  private let job: Job
  private(set) var isUsable = true

  /// The eighths of the full size that its overview has: 1, or 2, for which the walk takes a little longer.
  let scale: Int

  /// Nil when the file is of another kind.
  init?(
    reading bytes: UnsafeBufferPointer<UInt8>, isFileMapping: Bool, overviewScale: Int = 1, job: Job
  ) throws(FaceCropError) {
    self.job = job
    scale = overviewScale
    let source = unsafe FCJPEGSource(bytes, isFileMapping: isFileMapping, job: job)
    let made = unsafe fcjpeg_index_create(source)
    guard let made = unsafe made else { throw .outOfMemory }
    unsafe handle = made
    guard try check(unsafe fcjpeg_index_start(handle, UInt32(overviewScale))) else { return nil }
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

  /// The first planes of the whole picture, at its scale; nil when the walk finds something wrong.
  func overview(planes: Int) throws(FaceCropError) -> [OverviewPlane]? {
    guard try scan(upTo: rows, report: { [job, rows] row in job.report(.look, row, of: rows) }) else { return nil }
    var read: [OverviewPlane] = []
    for component in 0..<UInt32(planes) {
      let plane = unsafe OverviewPlane(fcjpeg_index_plane(handle, component))
      let filled = try unsafe plane.filled { (pixels) throws(FaceCropError) in
        unsafe pixels.initialize(repeating: 0)
        let width = plane.size.width
        for row in 0..<plane.size.height where isUsable {
          let line = unsafe pixels.baseAddress! + row * width
          _ = try check(unsafe fcjpeg_index_read_overview(handle, component, UInt32(row), line, UInt32(width)))
        }
      }
      read.append(filled)
    }
    return isUsable ? read : nil
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
    let mcu = PixelSize(width: mcu.width * scale / 8, height: mcu.height * scale / 8)
    // The upsampling of color reaches over the region's border. What it reaches for has to be there, and the cut has to be
    // large enough that libjpeg upsamples it as it does the whole picture: a whole block of pixels at this scale.
    let margin = (8 + scale - 1) / scale
    func span(_ start: Int, _ length: Int, _ mcu: Int, _ count: Int) -> Range<Int> {
      max(start / mcu - margin, 0)..<min((start + length + mcu - 1) / mcu + margin, count)
    }
    let horizontal = span(rect.x, rect.width, mcu.width, columns)
    let vertical = span(rect.y, rect.height, mcu.height, rows)
    return try unsafe withCut(of: MCURect(columns: horizontal, rows: vertical), progress: progress) {
      (file) throws(FaceCropError) in
      try unsafe body(
        file,
        PixelRect(
          x: rect.x - horizontal.lowerBound * mcu.width, y: rect.y - vertical.lowerBound * mcu.height,
          width: rect.width, height: rect.height))
    }
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
