internal import CPNGShim

@safe final class PNGEncoder: RowEncoder {
  private let handle: OpaquePointer
  private let bytesPerRow: Int

  /// Returns the bound of ``Codecs/encodingBytes(as:area:format:limits:)``. Noise takes slightly more than the pixels,
  /// plus the memory of zlib.
  static func bytes(area: Double, _ format: PixelBuffer.Format) -> Double {
    area * Double(format.channels) * 1.01 + 524_288
  }

  static func encode(_ input: EncoderInput, job: Job) throws(FaceCropError) -> [UInt8] {
    try PNGEncoder(
      input.pixels.size, input.pixels.format, profile: input.colorProfile ?? [], exif: input.exif ?? [],
      xmp: input.xmp ?? [],
      resolution: input.resolution, job
    ).file(of: input.pixels, job)
  }

  init(
    _ size: PixelSize, _ format: PixelBuffer.Format, profile: [UInt8] = [], exif: [UInt8] = [], xmp: [UInt8] = [],
    resolution: Double?, _ job: Job
  ) throws(FaceCropError) {
    guard let encoder = unsafe fcpng_encoder_create() else { throw .outOfMemory }
    unsafe handle = encoder
    bytesPerRow = size.width * format.channels
    let pixelsPerMeter = UInt32(clamping: resolution.map { Resolution.perMeter($0) } ?? 0)
    try check(
      unsafe exif.withUnsafeBufferPointer { exif in
        unsafe xmp.withUnsafeBufferPointer { xmp in
          unsafe profile.withUnsafeBufferPointer { profile in
            unsafe fcpng_encoder_start(
              encoder,
              FCPNGEncoding(
                width: UInt32(size.width), height: UInt32(size.height), color: format.pngColor,
                exif: exif.baseAddress, exifCount: exif.count, xmp: xmp.baseAddress, xmpCount: xmp.count,
                pixelsPerMeter: pixelsPerMeter, profile: profile.baseAddress, profileCount: profile.count,
                cancellation: job.cancellation.flag))
          }
        }
      })
  }

  deinit {
    unsafe fcpng_encoder_destroy(handle)
  }

  func write(_ rows: UnsafeBufferPointer<UInt8>, count: Int) throws(FaceCropError) {
    try check(unsafe fcpng_encoder_write_rows(handle, rows.baseAddress!, bytesPerRow, rows.count, UInt32(count)))
  }

  func taken() -> [UInt8] {
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    unsafe fcpng_encoder_take(handle, &bytes, &count)
    return unsafe ImageBytes.copy(bytes, count)
  }

  func finish() throws(FaceCropError) -> EncodedEnd {
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    try check(unsafe fcpng_encoder_finish(handle, &bytes, &count))
    return EncodedEnd(bytes: unsafe ImageBytes.take(bytes, count))
  }

  private func check(_ status: FCPNGStatus) throws(FaceCropError) {
    switch status {
    case .ok: return
    case .cancelled: throw .cancelled
    case .outOfMemory: throw .outOfMemory
    default: throw .invalidRequest(unsafe String(cString: fcpng_encoder_message(handle)))
    }
  }
}
