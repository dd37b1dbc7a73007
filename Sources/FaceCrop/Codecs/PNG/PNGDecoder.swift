internal import CPNGShim

/// A libpng decompressor, which converts the shim's statuses to errors.
///
/// It borrows the bytes that it reads, within the lifetime of ``PNGSession``.
@safe final class PNGDecoder: ShimObject {
  private let job: Job

  init(reading bytes: ImageBytes, job: Job) throws(FaceCropError) {
    self.job = job
    let source = unsafe FCPNGSource(
      bytes: bytes.buffer.baseAddress!, count: bytes.buffer.count, isFileMapping: bytes.isFileMapping,
      maximumPixels: UInt64(clamping: job.limits.pixels), maximumMetadataBytes: job.limits.metadataBytes,
      maximumXMPBytes: CreditSources.mostBytes, cancellation: job.cancellation.flag)
    try unsafe super.init(fcpng_decoder_create(source), fcpng_decoder_destroy, text: fcpng_decoder_message)
  }

  var damage: FCDamage { unsafe fcpng_decoder_damage(handle) }
  /// The fraction of the file's bytes that was read, 0…1.
  var fractionRead: Double { unsafe fcpng_decoder_fraction_read(handle) }

  /// Reads the header, and EXIF data after the pixels. Its parts live as long as the decoder.
  func header() throws(FaceCropError) -> FCPNGHeader {
    var header = unsafe FCPNGHeader()
    try check(unsafe fcpng_decoder_read_header(handle, &header))
    try job.limits.check(unsafe PixelSize(width: Int(header.width), height: Int(header.height)))
    try job.limits.check(.frames, unsafe Int(header.frameCount))
    try check(unsafe fcpng_decoder_find_late_metadata(handle, &header))
    let isTooLarge = unsafe header.profile.state == .tooLarge || header.exif.state == .tooLarge
    let metadataBytes = unsafe header.profile.count + header.exif.count
    try job.limits.check(.metadataBytes, isTooLarge ? job.limits.metadataBytes.addingClamped(1) : metadataBytes)
    return unsafe header
  }

  // MARK: Rows

  func start(format: PixelBuffer.Format) throws(FaceCropError) {
    try check(unsafe fcpng_decoder_start(handle, format.shimColor))
  }

  /// Reads up to `count` rows of a pass of an interlaced image; true after the last row.
  func absorb(count: Int) throws(FaceCropError) -> Bool {
    var finished = false
    try check(unsafe fcpng_decoder_absorb(handle, UInt32(clamping: count), &finished))
    return finished
  }

  func skipRows(_ count: Int) throws(FaceCropError) {
    try check(unsafe fcpng_decoder_skip_rows(handle, UInt32(clamping: count)))
  }

  /// Reads the columns of the next `count` rows, which must exist.
  func readRows(
    columns: Range<Int>, into rows: UnsafeMutableBufferPointer<UInt8>, bytesPerRow: Int, count: Int
  ) throws(FaceCropError) {
    var read: UInt32 = 0
    try check(
      unsafe fcpng_decoder_read_rows(
        handle, UInt32(clamping: columns.lowerBound), UInt32(clamping: columns.count), rows.baseAddress!, bytesPerRow,
        rows.count, UInt32(clamping: count), &read))
  }

  override func check(_ status: FCStatus) throws(FaceCropError) {
    switch status {
    case .tooLarge: throw .overLimit(.pixels, actual: job.limits.pixels.addingClamped(1), allowed: job.limits.pixels)
    default: try super.check(status)
    }
  }
}
