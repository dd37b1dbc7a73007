internal import CJPEGShim

/// One libjpeg decompressor: the shim's calls with their statuses made errors.
///
/// Borrows the bytes it reads; ``JPEGSession`` keeps it within their life.
@safe final class JPEGDecoder {
  private let handle: OpaquePointer
  private let job: Job

  struct Damage {
    var kind: FCJPEGDamageKind
    var intactRows: Int
    var scan: Int
    var hasRemarks: Bool
  }

  init(
    reading bytes: UnsafeBufferPointer<UInt8>, isFileMapping: Bool, job: Job
  ) throws(FaceCropError) {
    self.job = job
    let source = unsafe FCJPEGSource(bytes, isFileMapping: isFileMapping, job: job)
    let made = unsafe fcjpeg_decoder_create(source)
    guard let made = unsafe made else { throw .outOfMemory }
    unsafe handle = made
  }

  /// - Parameter handle: is the decompressor's from now on.
  init(owning handle: OpaquePointer, job: Job) {
    unsafe self.handle = handle
    self.job = job
  }

  deinit {
    unsafe fcjpeg_decoder_destroy(handle)
  }

  var damage: Damage {
    let damage = unsafe fcjpeg_decoder_damage(handle)
    return Damage(
      kind: damage.kind, intactRows: Int(damage.intactRows), scan: Int(damage.scan), hasRemarks: damage.remarks > 0)
  }

  // MARK: Regions

  func startRegion(_ rect: PixelRect, scale: Int, color: FCJPEGColor) throws(FaceCropError) {
    try check(unsafe fcjpeg_decoder_start_region(handle, Self.region(rect, scale: scale, color: color)))
  }

  func startScanRegion(_ rect: PixelRect, scale: Int, color: FCJPEGColor) throws(FaceCropError) {
    try check(unsafe fcjpeg_decoder_start_scan_region(handle, Self.region(rect, scale: scale, color: color)))
  }

  /// Reads up to `count` rows of `bytesPerRow` bytes into `rows`; returns how many.
  func readRows(
    into rows: UnsafeMutableBufferPointer<UInt8>, bytesPerRow: Int, count: Int
  ) throws(FaceCropError) -> Int {
    var read: UInt32 = 0
    try check(
      unsafe fcjpeg_decoder_read_rows(
        handle, rows.baseAddress!, bytesPerRow, rows.count, UInt32(clamping: count), &read))
    return Int(read)
  }

  private static func region(_ rect: PixelRect, scale: Int, color: FCJPEGColor) -> FCJPEGRegion {
    FCJPEGRegion(
      scale: Int32(clamping: scale), color: color, x: UInt32(clamping: rect.x), y: UInt32(clamping: rect.y),
      width: UInt32(clamping: rect.width), height: UInt32(clamping: rect.height))
  }

  // MARK: Files of several scans

  /// How many scans the file has, up to `maximum`.
  func scans(atMost maximum: Int) throws(FaceCropError) -> Int {
    var count: UInt32 = 0
    try check(unsafe fcjpeg_decoder_count_scans(handle, UInt32(clamping: maximum), &count))
    return Int(count)
  }

  /// - Parameter byLibjpeg: whether libjpeg has to read the scans, where the shim's own reader found something wrong.
  func startScans(scale: Int, color: FCJPEGColor, byLibjpeg: Bool = false) throws(FaceCropError) {
    try check(unsafe fcjpeg_decoder_start_scans(handle, Int32(scale), color, byLibjpeg))
  }

  /// How many planes an overview can be made of: luma, and chroma where it is YCbCr.
  var overviewPlanes: Int { unsafe Int(fcjpeg_decoder_overview_planes(handle)) }
  func firstScanIsDC(ofPlanes planes: Int) -> Bool { unsafe fcjpeg_decoder_first_scan_is_dc(handle, UInt32(planes)) }
  /// The part of the file's bytes that has been read, 0…1.
  var fractionRead: Double { unsafe fcjpeg_decoder_fraction_read(handle) }

  /// Gives up the coefficients of rows that have been read. The decompressor has no other region then.
  func releaseCoefficients() { unsafe fcjpeg_decoder_release_coefficients(handle) }

  /// Whether the shim's own reader is at work, which gives up where libjpeg would have something to say.
  var readsScans: Bool { unsafe fcjpeg_decoder_reads_scans(handle) }

  enum Absorption {
    case goesOn
    /// The first scan, or all of them, are in.
    case finished
    /// The shim's own reader found something wrong, which is libjpeg's to judge; the decompressor is of no more use.
    case unread
    /// The data end inside a segment between scans, the last of which ends at this byte; the decompressor is of no
    /// more use.
    case cutOff(after: Int)
  }

  /// Reads some rows of coefficients.
  func absorb(onlyFirstScan: Bool) throws(FaceCropError) -> Absorption {
    var finished = false
    let status = unsafe fcjpeg_decoder_absorb(handle, onlyFirstScan, 16, &finished)
    if status == .unsupported, readsScans { return .unread }
    let end = unsafe fcjpeg_decoder_scan_end(handle)
    if status == .truncated && end > 0 { return .cutOff(after: end) }
    try check(status)
    return finished ? .finished : .goesOn
  }

  /// An overview of the first planes, from the coefficients that are there.
  func overview(planes count: Int, scale: Int, format: PixelBuffer.Format) throws(FaceCropError) -> PixelBuffer {
    let planes = (0..<count).map { unsafe OverviewPlane(fcjpeg_decoder_plane(handle, UInt32($0), Int32(scale))) }
    return try unsafe PixelBuffer(overview: planes, format: format, rowsAtOnce: scale) {
      (plane, first, rows) throws(FaceCropError) in
      try job.check()
      try check(
        unsafe fcjpeg_decoder_read_overview(
          handle, UInt32(plane), Int32(scale), UInt32(first / scale), rows.baseAddress!, planes[plane].size.width,
          rows.count))
    }
  }

  // MARK: Lossless crops

  /// Pixels of an iMCU, as lossless crops have it.
  var mcu: PixelSize {
    let grid = unsafe fcjpeg_decoder_grid(handle)
    return PixelSize(width: Int(grid.mcuWidth), height: Int(grid.mcuHeight))
  }

  /// Some iMCUs as a file, once all scans are in.
  func losslessCrop(of mcus: MCURect, into file: JPEGFile) throws(FaceCropError) -> [UInt8] {
    try unsafe file.bytes { (file, segments) throws(FaceCropError) in
      try check(unsafe fcjpeg_lossless_crop(handle, mcus.cut, segments, file))
    }
  }

  // MARK: Errors

  private func check(_ status: FCJPEGStatus) throws(FaceCropError) {
    if status == .ok { return }
    let message = unsafe String(cString: fcjpeg_decoder_message(handle))
    switch status {
    case .ok: return
    case .corrupt: throw .corrupt(message)
    case .misuse: throw .invalidRequest(message)
    case .truncated: throw .corrupt("the file ends inside a segment")
    case .unsupported: throw .unsupported(message)
    case .tooManyScans: throw .overLimit(.scans, actual: job.limits.scans.addingClamped(1), allowed: job.limits.scans)
    case .tooMuchMemory:
      throw .overLimit(
        .coefficientBytes, actual: job.limits.coefficientBytes.addingClamped(1), allowed: job.limits.coefficientBytes)
    case .outOfMemory: throw .outOfMemory
    case .cancelled: throw .cancelled
    }
  }
}

extension PixelBuffer.Format {
  /// JPEG knows no alpha.
  var jpegColor: FCJPEGColor { self == .gray ? .gray : .RGB }
}
