internal import CWebPShim

/// Encodes pixels as a WebP file in memory.
enum WebPEncoder: ImageEncoder {
  static func largestPixel(channels: Int) -> Double { 1 }

  /// - Parameter quality: nil is lossless.
  static func encode(_ crop: RenderedCrop, quality: Int?, job: Job) throws(FaceCropError) -> [UInt8] {
    if let quality { try Codecs.check(quality: quality) }
    let isGray = crop.pixels.format == .gray
    let pixels = isGray ? crop.pixels.inColor() : crop.pixels
    let profile = isGray ? [] : crop.colorProfile ?? []
    let tiff = crop.tiff
    guard let encoder = unsafe fcwebp_encoder_create() else { throw .outOfMemory }
    defer { unsafe fcwebp_encoder_destroy(encoder) }

    job.report(.encode, 0, of: pixels.height)
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    let status = unsafe tiff.withUnsafeBufferPointer { tiff in
      unsafe profile.withUnsafeBufferPointer { profile in
        unsafe pixels.bytes.withUnsafeBufferPointer { rows in
          let encoding = unsafe FCWebPEncoding(
            width: UInt32(pixels.width), height: UInt32(pixels.height), color: pixels.format.webPColor,
            quality: Float(quality ?? losslessEffort), isLossless: quality == nil,
            hasRawAlpha: !compressesAlpha(of: Double(pixels.width) * Double(pixels.height), limits: job.limits),
            exif: tiff.baseAddress, exifCount: tiff.count,
            profile: profile.baseAddress, profileCount: profile.count, cancellation: job.cancellation.flag)
          return unsafe fcwebp_encoder_encode(
            encoder, encoding, rows.baseAddress!, pixels.bytesPerRow, rows.count, &bytes, &count)
        }
      }
    }
    switch status {
    case .ok: break
    case .cancelled: throw .cancelled
    case .outOfMemory: throw .outOfMemory
    default: throw .invalidRequest(unsafe String(cString: fcwebp_encoder_message(encoder)))
    }
    job.report(.encode, pixels.height, of: pixels.height)
    return unsafe ImageBytes.take(bytes, count)
  }

  /// Bytes that libwebp takes at most for a lossy file beside the pixels, and the file itself: Y, U and V and its tokens; with
  /// alpha also what that takes, compressed or not.
  static func memory(area: Double, channels: Int, limits: Limits) -> Double {
    let alpha = compressesAlpha(of: area, limits: limits) ? compressedAlphaBytes : rawAlphaBytes
    return area * (4 + (channels == 4 ? alpha : 0))
  }

  /// Nobody who sends a picture decides by its alpha that encoding takes a gigabyte.
  private static func compressesAlpha(of area: Double, limits: Limits) -> Bool {
    area * compressedAlphaBytes <= Double(limits.pictureBytes)
  }

  /// Of each pixel, at most: measured with libwebp 1.2.4 and alpha of noise, which is the worst for its lists of references.
  private static let compressedAlphaBytes = 33.0
  private static let rawAlphaBytes = 8.0

  /// Of libwebp's 0…100: how long a lossless file may take to become small. Cwebp's own choice.
  private static let losslessEffort = 75
}
