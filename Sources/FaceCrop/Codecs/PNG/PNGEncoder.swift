internal import CPNGShim

@safe final class PNGEncoder: ShimObject, RowEncoder {
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
    bytesPerRow = size.width * format.channels
    try unsafe super.init(fcpng_encoder_create(), fcpng_encoder_destroy, text: fcpng_encoder_message)
    let pixelsPerMeter = UInt32(clamping: resolution.map { Resolution.perMeter($0) } ?? 0)
    try check(
      unsafe FCAttachments.with(exif: exif, xmp: xmp, profile: profile) { attachments in
        unsafe fcpng_encoder_start(
          handle,
          FCPNGEncoding(
            width: UInt32(size.width), height: UInt32(size.height), color: format.shimColor, attachments: attachments,
            pixelsPerMeter: pixelsPerMeter, cancellation: job.cancellation.flag))
      })
  }

  func write(_ rows: UnsafeBufferPointer<UInt8>, count: Int) throws(FaceCropError) {
    try check(unsafe fcpng_encoder_write_rows(handle, rows.baseAddress!, bytesPerRow, rows.count, UInt32(count)))
  }

  func taken() -> [UInt8] { unsafe ImageBytes.copy(fcpng_encoder_take(handle)) }

  func finish() throws(FaceCropError) -> EncodedEnd {
    var bytes = unsafe FCBytes()
    try check(unsafe fcpng_encoder_finish(handle, &bytes))
    return EncodedEnd(bytes: unsafe ImageBytes.take(bytes))
  }

  override func check(_ status: FCStatus) throws(FaceCropError) { try status.checkEncoding(message) }
}
