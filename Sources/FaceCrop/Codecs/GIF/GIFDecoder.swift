internal import CGIFShim

/// A decompressor for a frame, which converts the shim's statuses to errors.
///
/// It borrows the bytes that it reads, within the lifetime of ``GIFSession``.
@safe final class GIFDecoder: ShimObject {
  /// - Parameters:
  ///   - frame: of no pixels gives none.
  ///   - kept: The size of the part at its top left that is read.
  init(reading bytes: ImageBytes, frame: GIFHeader.Frame, kept: PixelSize, job: Job) throws(FaceCropError) {
    let source = unsafe FCGIFSource(
      bytes: bytes.buffer.baseAddress!, count: bytes.buffer.count, data: frame.data,
      width: UInt32(frame.rect.width), height: UInt32(frame.rect.height), keptWidth: UInt32(kept.width),
      keptHeight: UInt32(kept.height), isInterlaced: frame.isInterlaced, cancellation: job.cancellation.flag)
    try unsafe super.init(fcgif_decoder_create(source), fcgif_decoder_destroy, text: fcgif_decoder_message)
    try check(unsafe fcgif_decoder_start(handle))
  }

  var damage: FCDamage { unsafe fcgif_decoder_damage(handle) }

  /// Reads up to `count` rows of an interlaced frame; true after the last row.
  func absorb(count: Int) throws(FaceCropError) -> Bool {
    var finished = false
    try check(unsafe fcgif_decoder_absorb(handle, UInt32(clamping: count), &finished))
    return finished
  }

  func skipRow() throws(FaceCropError) {
    try check(unsafe fcgif_decoder_read_row(handle, nil))
  }

  /// Reads the next row's indices into memory for the kept width.
  func readRow(into row: inout [UInt8]) throws(FaceCropError) {
    try check(unsafe fcgif_decoder_read_row(handle, &row))
  }
}
