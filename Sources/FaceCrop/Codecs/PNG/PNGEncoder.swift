internal import CPNGShim

/// Encodes pixels as a PNG file in memory.
enum PNGEncoder {
  /// See ``Codecs/encodingBytes(as:area:format:limits:)``: a little more than the pixels, which is what deflate and the rows'
  /// filters make of noise, and what zlib holds.
  static func bytes(area: Double, _ format: PixelBuffer.Format) -> Double {
    area * Double(format.channels) * 1.01 + 524_288
  }

  static func encode(_ crop: RenderedCrop, job: Job) throws(FaceCropError) -> [UInt8] {
    let pixels = crop.pixels
    guard let encoder = unsafe fcpng_encoder_create() else { throw .outOfMemory }
    defer { unsafe fcpng_encoder_destroy(encoder) }
    let profile = crop.colorProfile ?? []
    let exif = crop.exif ?? []
    let xmp = crop.xmp ?? []
    let pixelsPerMeter = UInt32(clamping: crop.resolution.map { Resolution.perMeter($0) } ?? 0)

    func check(_ status: FCPNGStatus) throws(FaceCropError) {
      switch status {
      case .ok: return
      case .cancelled: throw .cancelled
      case .outOfMemory: throw .outOfMemory
      default: throw .invalidRequest(unsafe String(cString: fcpng_encoder_message(encoder)))
      }
    }
    try check(
      unsafe exif.withUnsafeBufferPointer { exif in
        unsafe xmp.withUnsafeBufferPointer { xmp in
          unsafe profile.withUnsafeBufferPointer { profile in
            unsafe fcpng_encoder_start(
              encoder,
              FCPNGEncoding(
                width: UInt32(pixels.width), height: UInt32(pixels.height), color: pixels.format.pngColor,
                exif: exif.baseAddress, exifCount: exif.count, xmp: xmp.baseAddress, xmpCount: xmp.count,
                pixelsPerMeter: pixelsPerMeter, profile: profile.baseAddress, profileCount: profile.count,
                cancellation: job.cancellation.flag))
          }
        }
      })
    try unsafe pixels.forEachBand(job) { (rows, count) throws(FaceCropError) in
      try check(
        unsafe fcpng_encoder_write_rows(encoder, rows.baseAddress!, pixels.bytesPerRow, rows.count, UInt32(count)))
    }
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    try check(unsafe fcpng_encoder_finish(encoder, &bytes, &count))
    return unsafe ImageBytes.take(bytes, count)
  }
}
