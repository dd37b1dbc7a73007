internal import CTIFFShim

/// A libtiff decoder for one page, which converts the shim's statuses to errors.
///
/// It borrows the bytes that it reads, within the lifetime of ``TIFFSession``.
@safe final class TIFFDecoder: ShimObject {
  private let file: TIFFHeader

  /// Creates a decoder of rows in the color space `color`.
  init(
    reading bytes: ImageBytes, _ file: TIFFHeader, color: FCColor, columns: Range<Int>, job: Job
  ) throws(FaceCropError) {
    self.file = file
    let layout = file.layout
    // The arrays live as long as the header, which this object holds.
    let made = unsafe file.directory.header.withUnsafeBufferPointer { header in
      unsafe file.directory.bytes.withUnsafeBufferPointer { directory in
        unsafe file.palette.withUnsafeBufferPointer { palette in
          let made = unsafe fctiff_decoder_create(
            FCTIFFSource(
              bytes: bytes.buffer.baseAddress!, count: bytes.buffer.count, header: header.baseAddress!,
              headerCount: header.count, directory: directory.baseAddress!, directoryOffset: file.directory.offset,
              directoryCount: directory.count, maximumAllocation: job.limits.imageBytes,
              cancellation: job.cancellation.flag),
            FCTIFFPicture(
              width: UInt32(file.size.width), height: UInt32(file.size.height), bits: UInt32(layout.bits),
              samples: UInt32(layout.samples), isPlanar: layout.isPlanar, tileWidth: UInt32(layout.tile?.width ?? 0),
              tileHeight: UInt32(layout.tile?.height ?? 0), rowsPerStrip: UInt32(layout.rowsPerStrip),
              colors: layout.colors, alpha: layout.alpha, isJPEG: layout.isJPEG,
              isUncompressed: layout.isUncompressed, palette: palette.baseAddress))
          return unsafe made
        }
      }
    }
    try unsafe super.init(made, fctiff_decoder_destroy, text: fctiff_decoder_message)
    try check(unsafe fctiff_decoder_start(handle, color, UInt32(columns.lowerBound), UInt32(columns.count)))
  }

  /// The first damaged row; nil for none so far.
  var damagedRow: Int? {
    let damage = unsafe fctiff_decoder_damage(handle)
    return damage.kind == .none ? nil : Int(damage.intactRows)
  }

  func readRows(_ rows: Range<Int>, into buffer: UnsafeMutableBufferPointer<UInt8>) throws(FaceCropError) {
    try check(
      unsafe fctiff_decoder_read_rows(
        handle, UInt32(rows.lowerBound), UInt32(rows.count), buffer.baseAddress!, buffer.count))
  }

  func skip(_ rows: Range<Int>) throws(FaceCropError) {
    try check(unsafe fctiff_decoder_read_rows(handle, UInt32(rows.lowerBound), UInt32(rows.count), nil, 0))
  }
}
