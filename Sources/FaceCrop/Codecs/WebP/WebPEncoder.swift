internal import CWebPShim

/// Encodes pixels as a WebP file in memory.
enum WebPEncoder {
  /// - Parameter quality: nil is lossless.
  static func encode(_ crop: RenderedCrop, quality: Int?, job: Job) throws(FaceCropError) -> [UInt8] {
    if let quality { try Codecs.check(quality: quality) }
    let area = Double(crop.pixels.width) * Double(crop.pixels.height)
    if quality == nil { try job.limits.check(.encodingBytes, Int(area * losslessBytes)) }
    let isGray = crop.pixels.format == .gray
    let pixels = isGray ? crop.pixels.inColor() : crop.pixels
    let profile = isGray ? [] : crop.colorProfile ?? []
    let exif = EXIF.data(crop.exif, saying: crop.resolution) ?? []
    let xmp = crop.xmp ?? []
    guard let encoder = unsafe fcwebp_encoder_create() else { throw .outOfMemory }
    defer { unsafe fcwebp_encoder_destroy(encoder) }

    job.report(.encode, 0, of: pixels.height)
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    let status = unsafe exif.withUnsafeBufferPointer { exif in
      unsafe xmp.withUnsafeBufferPointer { xmp in
        unsafe profile.withUnsafeBufferPointer { profile in
          unsafe pixels.bytes.withUnsafeBufferPointer { rows in
            let encoding = unsafe FCWebPEncoding(
              width: UInt32(pixels.width), height: UInt32(pixels.height), color: pixels.format.webPColor,
              quality: Float(quality ?? losslessEffort), isLossless: quality == nil,
              hasRawAlpha: !compressesAlpha(of: area, limits: job.limits), keepsTokens: keepsTokens(of: area),
              exif: exif.baseAddress, exifCount: exif.count, xmp: xmp.baseAddress, xmpCount: xmp.count,
              profile: profile.baseAddress, profileCount: profile.count, cancellation: job.cancellation.flag)
            return unsafe fcwebp_encoder_encode(
              encoder, encoding, rows.baseAddress!, pixels.bytesPerRow, rows.count, &bytes, &count)
          }
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

  /// See ``Codecs/encodingBytes(as:area:format:limits:)``.
  static func bytes(area: Double, _ format: PixelBuffer.Format, isLossless: Bool, limits: Limits) -> Double {
    // Gray is given to libwebp in colors.
    let copy: Double = format == .gray ? 3 : 0
    guard !isLossless else { return area * (losslessBytes + copy) }
    let alpha = compressesAlpha(of: area, limits: limits) ? compressedAlphaBytes : rawAlphaBytes
    return area * ((keepsTokens(of: area) ? tokenBytes : streamedBytes) + copy + (format == .rgba ? alpha : 0))
  }

  /// Whether libwebp keeps a picture's tokens until it writes them, which takes half the time. Nobody wants to give a large
  /// picture's the memory.
  private static func keepsTokens(of area: Double) -> Bool { area * tokenBytes <= 32 * 0x1p20 }

  /// Nobody who sends a picture decides by its alpha that encoding takes a gigabyte.
  private static func compressesAlpha(of area: Double, limits: Limits) -> Bool {
    area * compressedAlphaBytes <= Double(limits.pictureBytes)
  }

  // Bytes of each pixel, at most, file included: measured with libwebp 1.2.4 and noise, which is the worst for its lists of references
  // and for its tokens.

  /// Y, U and V, and the file.
  private static let streamedBytes = 4.5
  private static let tokenBytes = 33.0
  /// What alpha takes, beside the colors.
  private static let compressedAlphaBytes = 33.0
  private static let rawAlphaBytes = 4.0
  private static let losslessBytes = 35.0

  /// How long a lossless file may take to become small, on libwebp's scale of 0…100. Cwebp's own choice.
  private static let losslessEffort = 75
}
