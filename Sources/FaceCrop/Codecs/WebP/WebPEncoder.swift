internal import CWebPShim

/// A WebP encoder for files in memory.
enum WebPEncoder {
  /// Encodes an image with quality 1…100; nil for lossless.
  static func encode(_ input: EncoderInput, quality: Int?, job: Job) throws(FaceCropError) -> [UInt8] {
    if let quality { try Codecs.check(quality: quality) }
    let area = Double(input.pixels.width) * Double(input.pixels.height)
    if quality == nil { try job.limits.check(.encodingBytes, Int(area * losslessBytes)) }
    let pixels = input.pixels.format == .gray ? input.pixels.inColor() : input.pixels
    let exif = EXIF.data(input.exif, saying: input.resolution)
    let profile = try input.profileOfRGB(job)

    job.report(.encode, 0, of: pixels.height)
    var file = unsafe FCBytes()
    var message = FCMessage()
    let status = unsafe FCAttachments.with(exif: exif, xmp: input.xmp, profile: profile) { attachments in
      unsafe pixels.bytes.withUnsafeBufferPointer { rows in
        var encoding = unsafe Self.encoding(
          pixels.size, pixels.format.webPColor, quality: quality, limits: job.limits, cancellation: job.cancellation)
        unsafe encoding.attachments = attachments
        return unsafe fcwebp_encode(
          encoding, rows.baseAddress!, pixels.bytesPerRow, rows.count, &file, &message)
      }
    }
    defer { unsafe fcwebp_file_free(file) }
    try status.checkEncoding(message.string)
    job.report(.encode, pixels.height, of: pixels.height)
    return unsafe ImageBytes.take(file)
  }

  /// Returns the settings of libwebp without metadata, for quality 1…100 or lossless for nil.
  static func encoding(
    _ size: PixelSize, _ color: FCColor, quality: Int?, limits: Limits, cancellation: Cancellation
  ) -> FCWebPEncoding {
    unsafe FCWebPEncoding(
      width: UInt32(size.width), height: UInt32(size.height), color: color,
      quality: Float(quality ?? losslessEffort), isLossless: quality == nil,
      hasRawAlpha: !compressesAlpha(of: size.area, limits: limits), keepsTokens: keepsTokens(of: size.area),
      attachments: FCAttachments(), cancellation: cancellation.flag)
  }

  /// Returns the bound of ``Codecs/encodingBytes(as:area:format:limits:)``.
  static func bytes(area: Double, _ format: PixelBuffer.Format, isLossless: Bool, limits: Limits) -> Double {
    // Gray is passed to libwebp in RGB.
    let copy: Double = format == .gray ? 3 : 0
    guard !isLossless else { return area * (losslessBytes + copy) }
    let alpha = compressesAlpha(of: area, limits: limits) ? compressedAlphaBytes : rawAlphaBytes
    return area * ((keepsTokens(of: area) ? tokenBytes : streamedBytes) + copy + (format == .rgba ? alpha : 0))
  }

  /// Returns whether libwebp holds an image's tokens until it writes them. Tokens halve the time, but take too much
  /// memory for a large image.
  private static func keepsTokens(of area: Double) -> Bool { area * tokenBytes <= 32 * 0x1p20 }

  /// Returns whether alpha is compressed. Otherwise a sender could make encoding take a gigabyte.
  private static func compressesAlpha(of area: Double, limits: Limits) -> Bool {
    area * compressedAlphaBytes <= Double(limits.imageBytes)
  }

  // The upper bounds of bytes per pixel, file included, measured with libwebp 1.2.4 and noise, the worst case for
  // reference lists and tokens.

  /// The Y, U, and V planes, and the file.
  private static let streamedBytes = 4.5
  private static let tokenBytes = 33.0
  /// The bytes for alpha, in addition to the colors.
  private static let compressedAlphaBytes = 33.0
  private static let rawAlphaBytes = 4.0
  private static let losslessBytes = 35.0

  /// The effort of lossless compression, on libwebp's scale of 0…100; the default of cwebp.
  private static let losslessEffort = 75
}
