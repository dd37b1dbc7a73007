internal import CJPEGShim

/// The state shared by all methods of decoding a JPEG file: bytes, header, ink conversion, and faults.
@safe final class JPEGInput {
  let header: JPEGHeader
  let image: ImageHeader
  let bytes: ImageBytes
  let job: Job
  private(set) var faults: Faults
  /// The conversion from inks to sRGB by the profile, created for the first pixels.
  private var madeInks: InkConversion??

  init(_ bytes: ImageBytes, allowsDamage: Bool, job: Job) throws(FaceCropError) {
    header = try JPEGHeader(reading: unsafe bytes.buffer.span, job: job)
    self.bytes = bytes
    self.job = job
    faults = Faults(allowsDamage: allowsDamage, rows: header.size.height)
    if header.dropsProfile { faults.note(.profileDropped) }
    var image = header.image
    image.faults = faults.found
    self.image = image
  }

  /// Creates a decompressor for the whole file or its first bytes.
  func open(upTo end: Int? = nil) throws(FaceCropError) -> JPEGDecoder {
    try unsafe JPEGDecoder(
      reading: UnsafeBufferPointer(rebasing: bytes.buffer[..<(end ?? bytes.buffer.count)]),
      isFileMapping: bytes.isFileMapping, job: job)
  }

  // MARK: Rows

  /// Reads all rows of the region at which `decoder` stands. In the sink the region starts at the row `first`, and
  /// earlier rows were read before. It calls `didRead` after each band with the number of rows read.
  func read(
    _ decoder: JPEGDecoder, _ size: PixelSize, _ format: PixelBuffer.Format, first: Int = 0,
    into sink: inout some RowSink,
    didRead: (_ rows: Int) throws(FaceCropError) -> Void
  ) throws(FaceCropError) {
    let bytesPerRow = size.width * format.channels
    let inks = try format == .rgb ? inks() : nil
    if inks == nil, let pixels = unsafe sink.whole {
      let pixels = pixels.extracting((first * bytesPerRow)...)
      return try unsafe read(decoder, size, bytesPerRow, into: pixels, didRead: didRead)
    }
    var band = [UInt8](repeating: 0, count: bytesPerRow * header.rowsPerMCU)
    var strip = [UInt8](repeating: 0, count: inks == nil ? 0 : size.width * 4 * header.rowsPerMCU)
    var done = 0
    while done < size.height {
      try job.check()
      let count = try unsafe band.withUnsafeMutableBufferPointer { (band) throws(FaceCropError) in
        guard let inks else {
          return try unsafe decoder.readRows(into: band, bytesPerRow: bytesPerRow, count: header.rowsPerMCU)
        }
        return try unsafe strip.withUnsafeMutableBufferPointer { (strip) throws(FaceCropError) in
          let count = try unsafe decoder.readRows(into: strip, bytesPerRow: size.width * 4, count: header.rowsPerMCU)
          unsafe inks.convert(UnsafeBufferPointer(strip.extracting(..<(count * size.width * 4))), to: band)
          return count
        }
      }
      sink.take(band.span.extracting(..<(count * bytesPerRow)), count: count)
      done += count
      try didRead(done)
    }
  }

  /// Reads the rows directly into the sink's memory.
  private func read(
    _ decoder: JPEGDecoder, _ size: PixelSize, _ bytesPerRow: Int, into pixels: UnsafeMutableBufferPointer<UInt8>,
    didRead: (_ rows: Int) throws(FaceCropError) -> Void
  ) throws(FaceCropError) {
    var done = 0
    while done < size.height {
      try job.check()
      done += try unsafe decoder.readRows(
        into: pixels.extracting((done * bytesPerRow)...), bytesPerRow: bytesPerRow, count: header.rowsPerMCU)
      try didRead(done)
    }
  }

  /// Returns libjpeg's color space for pixels in `format`.
  func color(for format: PixelBuffer.Format) throws(FaceCropError) -> FCColor {
    try format == .gray ? .gray : inks() == nil ? .RGB : .CMYK
  }

  private func inks() throws(FaceCropError) -> InkConversion? {
    if let madeInks { return madeInks }
    var made: InkConversion?
    if header.isOfInks, let profile = header.profile {
      made = try InkConversion(from: profile)
      if made == nil { faults.note(.profileDropped) }
    }
    madeInks = .some(made)
    return made
  }

  /// Returns the number of planes for an overview in `format`; nil if the available ones do not suffice.
  func planes(for format: PixelBuffer.Format, of available: Int) -> Int? {
    if format == .gray || header.isGray { return available >= 1 ? 1 : nil }
    return available == 3 ? 3 : nil
  }

  // MARK: Damage

  func note(_ fault: CropWarning) { faults.note(fault) }

  /// Judges damage. In the last row of MCUs alone it is tolerable, because many cameras' files lack a few bytes at
  /// their end. It is invisible there.
  func judge(_ damage: FCDamage) throws(FaceCropError) {
    if damage.remarks > 0 { faults.note(.irregular) }
    guard damage.kind != .none else { return }
    let intactRows = Int(damage.intactRows)
    try faults.judge(
      damage.kind == .truncated ? .truncated(coarse: header.isProgressive && damage.pass > 1) : .corrupt,
      intactRows: intactRows, isTolerable: intactRows > 0 && intactRows >= header.size.height - header.rowsPerMCU)
  }
}
