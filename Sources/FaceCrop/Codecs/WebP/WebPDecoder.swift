internal import CWebPShim

/// A libwebp decompressor, which converts the shim's statuses to errors.
///
/// It borrows the bytes that it reads, within the lifetime of ``WebPSession``.
@safe final class WebPDecoder: ShimObject {
  private let job: Job

  /// The upper bound of chunks, far above any animation's three per frame.
  private static let maximumChunks = 50_000

  init(reading bytes: ImageBytes, job: Job) throws(FaceCropError) {
    self.job = job
    let source = unsafe FCWebPSource(
      bytes: bytes.buffer.baseAddress!, count: bytes.buffer.count, maximumPixels: UInt64(clamping: job.limits.pixels),
      maximumChunks: UInt32(Self.maximumChunks), cancellation: job.cancellation.flag)
    try unsafe super.init(fcwebp_decoder_create(source), fcwebp_decoder_destroy, text: fcwebp_decoder_message)
  }

  var damage: FCDamage { unsafe fcwebp_decoder_damage(handle) }

  func header() throws(FaceCropError) -> FCWebPHeader {
    var header = unsafe FCWebPHeader()
    try check(unsafe fcwebp_decoder_read_header(handle, &header))
    try job.limits.check(unsafe PixelSize(width: Int(header.width), height: Int(header.height)))
    try job.limits.check(.frames, unsafe Int(header.frameCount))
    try job.limits.check(.metadataBytes, unsafe header.profile.count + header.exif.count)
    return unsafe header
  }

  /// Selects the frame of an animation that regions are decoded from.
  func select(_ index: Int) throws(FaceCropError) -> FCWebPFrame {
    var frame = FCWebPFrame()
    knownCodeBytes = nil
    try check(unsafe fcwebp_decoder_select_frame(handle, UInt32(index), &frame))
    return frame
  }

  /// Returns an upper bound of the bytes for a region, in libwebp and in a copy of the pixels.
  func memory(for rect: PixelRect, size: PixelSize, format: PixelBuffer.Format) throws(FaceCropError) -> Int {
    let pixels = unsafe Int(clamping: fcwebp_decoder_memory(handle, Self.region(rect, size: size, format: format)))
    return pixels.addingClamped(try codeBytes())
  }

  private var knownCodeBytes: Int?

  /// Returns the bytes of the prefix codes of the pixels or their alpha, read from the stream once.
  private func codeBytes() throws(FaceCropError) -> Int {
    if let knownCodeBytes { return knownCodeBytes }
    var header = unsafe FCWebPHeader()
    try check(unsafe fcwebp_decoder_read_header(handle, &header))
    let frame = unsafe UnsafeBufferPointer(header.frame)
    let size = unsafe PixelSize(width: Int(header.frameWidth), height: Int(header.frameHeight))
    var budget = PrefixCodeGroups.mostPixels
    let bytes = try unsafe Self.codeBytes(of: frame, size, &budget, job)
    knownCodeBytes = bytes
    return bytes
  }

  /// Returns the bytes of the prefix codes in a frame's chunks.
  fileprivate static func codeBytes(
    of frame: UnsafeBufferPointer<UInt8>, _ size: PixelSize, _ budget: inout Int, _ job: Job
  ) throws(FaceCropError) -> Int {
    guard let stream = unsafe losslessStream(in: frame) else { return 0 }
    return try unsafe PrefixCodeGroups(of: stream, size: size, budget: &budget, job: job)?.bytes ?? 0
  }

  /// Returns the losslessly compressed part of a frame's chunks, after its header; nil for none.
  private static func losslessStream(in frame: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    let bytes = unsafe Span(_unsafeElements: frame)
    // "VP8L" (RFC 9649, 2.6) has a signature and 32 bits of sizes. "ALPH" (2.7.1.2) has a byte with the compression.
    if bytes.contains("VP8L", at: 0) { return frame.extracting(min(13, frame.count)...) }
    let isCompressed = bytes.contains("ALPH", at: 0) && bytes.byte(at: 8).map { $0 & 3 == 1 } == true
    return isCompressed ? frame.extracting(9...) : nil
  }

  private static func region(_ rect: PixelRect, size: PixelSize, format: PixelBuffer.Format) -> FCWebPRegion {
    FCWebPRegion(
      color: format.webPColor, x: UInt32(rect.x), y: UInt32(rect.y), width: UInt32(rect.width),
      height: UInt32(rect.height), outWidth: UInt32(size.width), outHeight: UInt32(size.height))
  }

  /// Decodes a rectangle of the image at up to its own size, in RGB or RGBA. It calls `report` with the number of
  /// complete output rows.
  func decode(
    _ rect: PixelRect, size: PixelSize, format: PixelBuffer.Format, into pixels: UnsafeMutableBufferPointer<UInt8>,
    report: (_ rows: Int) -> Void
  ) throws(FaceCropError) {
    let region = Self.region(rect, size: size, format: format)
    let status = unsafe fcwebp_decoder_start_region(
      handle, region, pixels.baseAddress!, size.width * format.channels, pixels.count)
    try check(status)
    var isFinished = false
    while !isFinished {
      var ready: UInt32 = 0
      try check(unsafe fcwebp_decoder_decode(handle, &ready, &isFinished))
      report(Int(ready))
    }
  }
}

extension PixelBuffer.Format {
  /// The color space for libwebp; WebP has no gray.
  var webPColor: FCColor { self == .rgba ? .RGBA : .RGB }
}

/// WebP data inside another format's file, whose decoder has no limits of its own.
struct EmbeddedWebP {
  /// An upper bound of the bytes of libwebp's prefix codes.
  private(set) var codeBytes = 0

  /// The upper bound of chunks before the pixels.
  private static let mostChunks = 64

  /// Reads the chunks up to the pixels; nil if the data are no still image, or one that is larger than `most`.
  init?(reading bytes: Span<UInt8>, most: PixelSize, job: Job) throws(FaceCropError) {
    guard bytes.contains("RIFF", at: 0), bytes.contains("WEBP", at: 8) else { return nil }
    var offset = 12
    var alpha: Range<Int>?
    for _ in 0..<Self.mostChunks {
      try job.step()
      guard let length = bytes.uint32(at: offset + 4, .littleEndian) else { return nil }
      let chunk = offset..<min(offset + 8 + length, bytes.count)
      if let size = Self.size(bytes, at: offset) {
        guard size.width > 0, size.height > 0, size.width <= most.width, size.height <= most.height else { return nil }
        do throws(FaceCropError) {
          for part in [alpha, chunk] {
            guard let part else { continue }
            var budget = PrefixCodeGroups.mostPixels
            codeBytes += try Self.codeBytes(bytes.extracting(part), size, &budget, job)
          }
        } catch {
          // libwebp refuses such codes, too.
          if case .corrupt = error { return nil }
          throw error
        }
        return
      }
      if bytes.contains("ALPH", at: offset) {
        // libwebp would take the last one.
        guard alpha == nil else { return nil }
        alpha = chunk
      }
      offset += 8 + length + length % 2
    }
    return nil
  }

  /// Returns an upper bound of the bytes of libwebp's prefix codes for any frame of an animation (RFC 9649, 2.7.1.1). More
  /// than `most` is `most`, and so are codes that take long to read.
  static func codeBytes(ofFramesIn bytes: Span<UInt8>, most: Int, job: Job) throws(FaceCropError) -> Int {
    var (largest, frame) = (0, PixelSize(width: 0, height: 0))
    // Reading all frames takes time linear in the bytes.
    var budget = PrefixCodeGroups.mostPixels + 4 * bytes.count
    var offset = 12
    while largest < most, let length = bytes.uint32(at: offset + 4, .littleEndian) {
      try job.step()
      if bytes.contains("ANMF", at: offset) {
        func side(_ place: Int) -> Int { (bytes.uint32(at: offset + place, .littleEndian) ?? 0) & 0xFF_FFFF + 1 }
        frame = PixelSize(width: side(14), height: side(17))
        // The chunks of a frame follow its own 16 bytes.
        offset += 24
        continue
      }
      let chunk = bytes.extracting(offset..<min(offset + 8 + length, bytes.count))
      do throws(FaceCropError) {
        largest = max(largest, try codeBytes(chunk, size(bytes, at: offset) ?? frame, &budget, job))
      } catch {
        // A damaged frame is found when it is decoded.
        guard case .corrupt = error else { throw error }
      }
      offset += 8 + length + length % 2
    }
    return min(largest, most)
  }

  /// Returns the size of the pixels in a chunk; nil for other chunks (RFC 9649, 2.5 and 2.6).
  private static func size(_ bytes: Span<UInt8>, at offset: Int) -> PixelSize? {
    if bytes.contains("VP8L", at: offset) {
      let sides = bytes.uint32(at: offset + 9, .littleEndian) ?? 0
      return PixelSize(width: sides & 0x3FFF + 1, height: sides >> 14 & 0x3FFF + 1)
    }
    guard bytes.contains("VP8 ", at: offset) else { return nil }
    let (width, height) = (bytes.uint16(at: offset + 14, .littleEndian), bytes.uint16(at: offset + 16, .littleEndian))
    return PixelSize(width: (width ?? 0) & 0x3FFF, height: (height ?? 0) & 0x3FFF)
  }

  private static func codeBytes(
    _ chunk: Span<UInt8>, _ size: PixelSize, _ budget: inout Int, _ job: Job
  ) throws(FaceCropError) -> Int {
    try unsafe chunk.withBuffer { (chunk) throws(FaceCropError) -> Int in
      try unsafe WebPDecoder.codeBytes(of: chunk, size, &budget, job)
    }
  }
}
