internal import CWebPShim

/// What a WebP file says of itself.
struct WebPHeader {
  /// Of the canvas, for an animation.
  var size: PixelSize
  var hasTransparency: Bool
  var isAnimated: Bool
  var isLossless: Bool
  /// The file is as long as it says.
  var isComplete: Bool
  /// Empty when there is none.
  var profile: [UInt8]
  /// The EXIF data, without JPEG's "Exif\0\0".
  var tiff: [UInt8]

  fileprivate init(_ header: FCWebPHeader) {
    size = unsafe PixelSize(width: Int(header.width), height: Int(header.height))
    hasTransparency = unsafe header.hasTransparency
    isAnimated = unsafe header.isAnimated
    isLossless = unsafe header.compression == .lossless
    isComplete = unsafe header.isComplete
    profile = unsafe ImageBytes.copy(header.profile, header.profileCount)
    tiff = unsafe ImageBytes.copy(header.exif, header.exifCount)
  }
}

/// One libwebp decompressor: the shim's calls with their statuses made errors.
///
/// Borrows the bytes it reads; ``WebPSession`` keeps it within their life.
@safe final class WebPDecoder {
  private let handle: OpaquePointer
  private let job: Job

  /// Far more than any animation has: three a frame.
  private static let maximumChunks = 50_000

  init(reading bytes: ImageBytes, job: Job) throws(FaceCropError) {
    self.job = job
    let made = unsafe fcwebp_decoder_create(
      FCWebPSource(
        bytes: bytes.buffer.baseAddress!, count: bytes.buffer.count, maximumPixels: UInt64(clamping: job.limits.pixels),
        maximumDecodingBytes: UInt64(clamping: job.limits.pictureBytes),
        maximumChunks: UInt32(Self.maximumChunks), cancellation: job.cancellation.flag))
    guard let made = unsafe made else { throw .outOfMemory }
    unsafe handle = made
  }

  deinit {
    unsafe fcwebp_decoder_destroy(handle)
  }

  var damage: FCWebPDamage { unsafe fcwebp_decoder_damage(handle) }

  func header() throws(FaceCropError) -> WebPHeader {
    var header = unsafe FCWebPHeader()
    try check(unsafe fcwebp_decoder_read_header(handle, &header), memory: 0)
    try job.limits.check(unsafe PixelSize(width: Int(header.width), height: Int(header.height)))
    try job.limits.check(.frames, unsafe Int(header.frameCount))
    try job.limits.check(.metadataBytes, unsafe header.profileCount + header.exifCount)
    return unsafe WebPHeader(header)
  }

  /// Bytes that libwebp, and a copy of the pixels, take at most for a region.
  func memory(for rect: PixelRect, size: PixelSize, format: PixelBuffer.Format) -> Int {
    unsafe Int(clamping: fcwebp_decoder_memory(handle, Self.region(rect, size: size, format: format)))
  }

  private static func region(_ rect: PixelRect, size: PixelSize, format: PixelBuffer.Format) -> FCWebPRegion {
    FCWebPRegion(
      color: format.webPColor, x: UInt32(rect.x), y: UInt32(rect.y), width: UInt32(rect.width),
      height: UInt32(rect.height), outWidth: UInt32(size.width), outHeight: UInt32(size.height))
  }

  /// A rectangle of the picture at a size that is at most its own.
  ///
  /// - Parameters:
  ///   - format: in color.
  ///   - report: gets the output's rows that are complete.
  func picture(
    of rect: PixelRect, size: PixelSize, format: PixelBuffer.Format, report: (_ rows: Int) -> Void
  ) throws(FaceCropError) -> PixelBuffer {
    try job.limits.check(.regionBytes, size.bytes(channels: format.channels))
    let region = Self.region(rect, size: size, format: format)
    let memory = memory(for: rect, size: size, format: format)
    return try unsafe PixelBuffer.filled(size: size, format: format) { (rows) throws(FaceCropError) in
      let status = unsafe fcwebp_decoder_start_region(
        handle, region, rows.baseAddress!, size.width * format.channels, rows.count)
      try check(status, memory: memory)
      var isFinished = false
      while !isFinished {
        var ready: UInt32 = 0
        try check(unsafe fcwebp_decoder_decode(handle, &ready, &isFinished), memory: memory)
        report(Int(ready))
      }
    }
  }

  private func check(_ status: FCWebPStatus, memory: Int) throws(FaceCropError) {
    if status == .ok { return }
    let message = unsafe String(cString: fcwebp_decoder_message(handle))
    switch status {
    case .ok: return
    case .corrupt, .truncated: throw .corrupt(message)
    case .misuse: throw .invalidRequest(message)
    // Its pixels were checked with the header: too many chunks.
    case .unsupported, .tooLarge: throw .unsupported(message)
    case .tooMuchMemory: throw .overLimit(.pictureBytes, actual: memory, allowed: job.limits.pictureBytes)
    case .outOfMemory: throw .outOfMemory
    case .cancelled: throw .cancelled
    }
  }
}

extension PixelBuffer.Format {
  /// WebP knows no gray.
  var webPColor: FCWebPColor { self == .rgba ? .RGBA : .RGB }
}
