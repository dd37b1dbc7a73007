internal import CJPEGShim

/// A libjpeg decompressor, which converts the shim's statuses to errors.
///
/// It borrows the bytes that it reads, within the lifetime of ``JPEGSession``.
@safe final class JPEGDecoder: ShimObject, BlockEditor {
  private let job: Job

  convenience init(
    reading bytes: UnsafeBufferPointer<UInt8>, isFileMapping: Bool, job: Job
  ) throws(FaceCropError) {
    let source = unsafe FCJPEGSource(bytes, isFileMapping: isFileMapping, job: job)
    try unsafe self.init(owning: fcjpeg_decoder_create(source), job: job)
  }

  /// Takes ownership of an object of the shim.
  init(owning made: OpaquePointer?, job: Job) throws(FaceCropError) {
    self.job = job
    try unsafe super.init(made, fcjpeg_decoder_destroy, text: fcjpeg_decoder_message)
  }

  var damage: FCDamage { unsafe fcjpeg_decoder_damage(handle) }

  // MARK: Regions

  func startRegion(_ rect: PixelRect, scale: Int, color: FCColor) throws(FaceCropError) {
    try check(unsafe fcjpeg_decoder_start_region(handle, Self.region(rect, scale: scale, color: color)))
  }

  func startScanRegion(_ rect: PixelRect, scale: Int, color: FCColor) throws(FaceCropError) {
    try check(unsafe fcjpeg_decoder_start_scan_region(handle, Self.region(rect, scale: scale, color: color)))
  }

  /// Reads up to `count` rows of `bytesPerRow` bytes into `rows`, and returns their number.
  func readRows(
    into rows: UnsafeMutableBufferPointer<UInt8>, bytesPerRow: Int, count: Int
  ) throws(FaceCropError) -> Int {
    var read: UInt32 = 0
    try check(
      unsafe fcjpeg_decoder_read_rows(
        handle, rows.baseAddress!, bytesPerRow, rows.count, UInt32(clamping: count), &read))
    return Int(read)
  }

  private static func region(_ rect: PixelRect, scale: Int, color: FCColor) -> FCJPEGRegion {
    FCJPEGRegion(
      scale: Int32(clamping: scale), color: color, x: UInt32(clamping: rect.x), y: UInt32(clamping: rect.y),
      width: UInt32(clamping: rect.width), height: UInt32(clamping: rect.height))
  }

  // MARK: Files of several scans

  /// Returns the number of scans in the file, up to `maximum`.
  func scans(atMost maximum: Int) throws(FaceCropError) -> Int {
    var count: UInt32 = 0
    try check(unsafe fcjpeg_decoder_count_scans(handle, UInt32(clamping: maximum), &count))
    return Int(count)
  }

  /// Starts decoding. With `byLibjpeg`, libjpeg must read the scans, after the shim's own reader found a fault.
  func startScans(scale: Int, color: FCColor, byLibjpeg: Bool = false) throws(FaceCropError) {
    try check(unsafe fcjpeg_decoder_start_scans(handle, Int32(scale), color, byLibjpeg))
  }

  /// The number of planes for an overview: luma, and chroma for YCbCr.
  var overviewPlanes: Int { unsafe Int(fcjpeg_decoder_overview_planes(handle)) }
  func firstScanIsDC(ofPlanes planes: Int) -> Bool { unsafe fcjpeg_decoder_first_scan_is_dc(handle, UInt32(planes)) }
  /// The fraction of the file's bytes that was read, 0…1.
  var fractionRead: Double { unsafe fcjpeg_decoder_fraction_read(handle) }

  /// Frees the coefficients of rows that were read. The decompressor can decode no other region afterwards.
  func releaseCoefficients() { unsafe fcjpeg_decoder_release_coefficients(handle) }

  /// Whether the shim's own reader is active, which stops wherever libjpeg would warn.
  var readsScans: Bool { unsafe fcjpeg_decoder_reads_scans(handle) }

  enum Absorption {
    case goesOn
    /// The first scan, or all scans, are complete.
    case finished
    /// The shim's own reader found a fault, which libjpeg must judge. The decompressor is no longer usable.
    case unread
    /// The data end inside a segment between scans, the last of which ends at this byte. The decompressor is unusable.
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

  /// Creates an overview of the first planes from the available coefficients.
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

  /// The size of an iMCU in pixels, for lossless crops.
  var mcu: PixelSize { unsafe fcjpeg_decoder_grid(handle).mcu }

  /// Cuts iMCUs into a file, once all scans are complete.
  func losslessCrop(of mcus: MCURect, with segments: [UInt8]) throws(FaceCropError) -> [UInt8] {
    try unsafe file(with: segments) { unsafe fcjpeg_lossless_crop(handle, mcus.cut, $0) }
  }

  /// Returns the file that `write` makes, with segments behind all that libjpeg writes at the start.
  private func file(
    with segments: [UInt8], _ write: (UnsafeMutablePointer<FCBytes>) -> FCStatus
  ) throws(FaceCropError) -> [UInt8] {
    var file = unsafe FCBytes()
    defer { unsafe fcjpeg_file_free(file) }
    try check(unsafe write(&file))
    return unsafe JPEGSegments.inserting(segments, into: UnsafeBufferPointer(file), behind: JPEGSegments.application)
  }

  // MARK: Edited blocks

  /// The blocks of each component, once all scans are complete.
  var components: [FCJPEGBlocks] {
    unsafe (0..<fcjpeg_decoder_components(handle)).map { unsafe fcjpeg_decoder_blocks(handle, $0) }
  }

  /// Returns the mean sample of each block in a rectangle of blocks.
  func means(of component: Int, in rect: PixelRect) throws(FaceCropError) -> [Float] {
    var means = [Float](repeating: 0, count: rect.width * rect.height)
    try check(unsafe fcjpeg_decoder_means(handle, UInt32(component), FCJPEGRect(rect), &means, means.count))
    return means
  }

  /// Changes the coefficients of a row of MCUs.
  func edit(row: Int, _ strips: UnsafePointer<FCJPEGStrip>?) throws(FaceCropError) {
    if let strips = unsafe strips { try check(unsafe fcjpeg_decoder_edit_row(handle, UInt32(row), strips)) }
  }

  /// Writes the image from its coefficients.
  func rewritten(with segments: [UInt8]) throws(FaceCropError) -> [UInt8] {
    try unsafe file(with: segments) { unsafe fcjpeg_decoder_rewrite(handle, $0) }
  }

  // MARK: Errors

  override func check(_ status: FCStatus) throws(FaceCropError) {
    switch status {
    case .truncated: throw .corrupt("the file ends inside a segment")
    case .tooManyScans: throw .overLimit(.scans, actual: job.limits.scans.addingClamped(1), allowed: job.limits.scans)
    case .tooMuchMemory:
      throw .overLimit(
        .coefficientBytes, actual: job.limits.coefficientBytes.addingClamped(1), allowed: job.limits.coefficientBytes)
    default: try super.check(status)
    }
  }
}

extension FCJPEGGrid {
  var mcu: PixelSize { PixelSize(width: Int(mcuWidth), height: Int(mcuHeight)) }
}

extension FCJPEGRect {
  init(_ rect: PixelRect) {
    self.init(
      x: UInt32(clamping: rect.x), y: UInt32(clamping: rect.y), width: UInt32(clamping: rect.width),
      height: UInt32(clamping: rect.height))
  }
}

extension PixelBuffer.Format {
  /// The color space for libjpeg; JPEG has no alpha.
  var jpegColor: FCColor { self == .gray ? .gray : .RGB }
}
