internal import CTIFFShim

/// A TIFF encoder (TIFF 6.0; Deflate by Adobe's Photoshop TIFF Technical Notes). It writes strips, followed by the
/// directory: EXIF data with entries for the strips.
final class TIFFEncoder: RowEncoder {
  /// The approximate bytes of an uncompressed strip. TIFF 6.0, section 7, suggests 8 KB, which compress worse.
  private static let stripBytes = 1 << 17
  private static let headerBytes = 8

  private let size: PixelSize
  private let format: PixelBuffer.Format
  private let profile: [UInt8]?
  private let xmp: [UInt8]?
  private let rowsPerStrip: Int
  /// The entries of the directory so far.
  private var data: EXIF
  /// The offsets and lengths of the strips.
  private var strips: [(offset: Int, count: Int)] = []
  /// The length of the file so far, and its bytes that were not returned yet.
  private var end: Int
  private var bytes: [UInt8]
  /// The rows of an incomplete strip, and buffers for compression.
  private var rows: [UInt8] = []
  private var scratch: [UInt8]
  private var strip: [UInt8]

  static func encode(_ input: EncoderInput, job: Job) throws(FaceCropError) -> [UInt8] {
    try TIFFEncoder(
      input.pixels.size, input.pixels.format, profile: input.colorProfile, exif: input.exif, xmp: input.xmp,
      resolution: input.resolution
    ).file(of: input.pixels, job)
  }

  /// Returns the bound of ``Codecs/encodingBytes(as:area:format:limits:)``. A file of noise may be copied as it grows.
  static func bytes(area: Double, _ format: PixelBuffer.Format) -> Double {
    area * Double(format.channels) * 2.1 + 1_048_576
  }

  init(
    _ size: PixelSize, _ format: PixelBuffer.Format, profile: [UInt8]? = nil, exif: [UInt8]? = nil, xmp: [UInt8]? = nil,
    resolution: Double?
  ) {
    (self.size, self.format, self.profile, self.xmp) = (size, format, profile, xmp)
    data = exif.flatMap { EXIF($0) } ?? EXIF(.littleEndian)
    if let resolution { data.say(resolution: resolution) }
    bytes = data.header(first: 0)
    end = bytes.count
    let bytesPerRow = size.width * format.channels
    rowsPerStrip = min(max(Self.stripBytes / bytesPerRow, 1), size.height)
    scratch = [UInt8](repeating: 0, count: rowsPerStrip * bytesPerRow)
    strip = [UInt8](repeating: 0, count: fctiff_strip_bound(rowsPerStrip * bytesPerRow))
  }

  func write(_ rows: UnsafeBufferPointer<UInt8>, count: Int) throws(FaceCropError) {
    let bytesPerRow = size.width * format.channels
    for row in 0..<count {
      unsafe self.rows.append(contentsOf: rows.extracting(row * bytesPerRow..<(row + 1) * bytesPerRow))
      if self.rows.count == rowsPerStrip * bytesPerRow { try addStrip() }
    }
  }

  func taken() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  func finish() throws(FaceCropError) -> EncodedEnd {
    if !rows.isEmpty { try addStrip() }
    // A directory starts at an even offset.
    if !end.isMultiple(of: 2) { append([0]) }
    describeStrips()
    let beginning = data.header(first: end)
    append(data.written(at: end)[...])
    return EncodedEnd(bytes: taken(), beginning: beginning)
  }

  private func append(_ more: ArraySlice<UInt8>) {
    bytes += more
    end += more.count
  }

  /// Compresses the collected rows as a strip.
  private func addStrip() throws(FaceCropError) {
    guard end <= Int(UInt32.max) - 2 * strip.count else {
      throw .invalidRequest("the TIFF file would be larger than 4 GiB")
    }
    let bytesPerRow = size.width * format.channels
    var count = strip.count
    let status = unsafe fctiff_compress_strip(
      rows, bytesPerRow, UInt32(size.width), UInt32(format.channels), UInt32(rows.count / bytesPerRow), &scratch,
      &strip, &count)
    guard status == .ok else { throw .outOfMemory }
    strips.append((end, count))
    append(strip[..<count])
    rows.removeAll(keepingCapacity: true)
  }

  private func describeStrips() {
    func numbers(_ numbers: [Int], _ value: (Int) -> EXIF.Value) -> EXIF.Value {
      EXIF.Value(type: value(0).type, bytes: numbers.flatMap { value($0).bytes })
    }
    let channels = format.channels
    var entries = [
      TIFFTag.width: data.long(size.width), TIFFTag.height: data.long(size.height),
      TIFFTag.bitsPerSample: numbers([Int](repeating: 8, count: channels), data.short),
      TIFFTag.compression: data.short(TIFFCompression.deflate),
      // Black is zero for gray, else RGB.
      TIFFTag.photometric: data.short(format == .gray ? 1 : 2),
      TIFFTag.stripOffsets: numbers(strips.map(\.offset), data.long), TIFFTag.samplesPerPixel: data.short(channels),
      TIFFTag.rowsPerStrip: data.long(rowsPerStrip), TIFFTag.stripByteCounts: numbers(strips.map(\.count), data.long),
      // Samples of a pixel are adjacent, and each stores the difference from the pixel on its left.
      TIFFTag.planarConfiguration: data.short(1), TIFFTag.predictor: data.short(2),
    ]
    // Alpha is unassociated.
    if format == .rgba { entries[TIFFTag.extraSamples] = data.short(2) }
    if let profile { entries[TIFFTag.profile] = EXIF.Value(type: .undefined, bytes: profile) }
    if let xmp { entries[TIFFTag.xmp] = EXIF.Value(type: .byte, bytes: xmp) }
    data.values[.main, default: [:]].merge(entries) { $1 }
  }
}
