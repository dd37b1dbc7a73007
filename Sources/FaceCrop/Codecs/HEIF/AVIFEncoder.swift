#if HEIF
  internal import CHEIFShim

  /// An encoder for AVIF files in memory.
  enum AVIFEncoder {
    static func encode(
      _ input: EncoderInput, quality: Int, subsampling: ChromaSubsampling, speed: Int, job: Job
    ) throws(FaceCropError) -> [UInt8] {
      try Codecs.check(quality: quality)
      try InvalidRequest.check((0...9).contains(speed), "speed", mustBe: "0 to 9", not: "\(speed)")
      let pixels = input.pixels
      let expected = bytes(
        area: Double(pixels.width) * Double(pixels.height), pixels.format, quality: quality, subsampling: subsampling,
        speed: speed)
      try job.limits.check(.encodingBytes, Int(expected))
      let profile = input.colorProfile ?? []
      let colors: CodedColors = profile.isEmpty ? .sRGB : .profile
      job.report(.encode, 0, of: pixels.height)
      var (color, alpha) = unsafe (FCBytes(), FCBytes())
      var message = FCMessage()
      let status = unsafe pixels.bytes.withUnsafeBufferPointer { rows in
        unsafe fcheif_encode_av1(
          FCHEIFEncoding(
            width: UInt32(pixels.width), height: UInt32(pixels.height), channels: UInt32(pixels.format.channels),
            rows: rows.baseAddress!, stride: pixels.bytesPerRow, capacity: rows.count,
            quality: Int32(ownQuality(quality)), speed: Int32(speed), chroma: chroma(of: subsampling, quality: quality),
            primaries: Int32(colors.primaries), transfer: Int32(colors.transfer), matrix: Int32(colors.matrix),
            memory: Int(expected), cancellation: job.cancellation.flag), &color, &alpha, &message)
      }
      defer {
        unsafe fcheif_file_free(color)
        unsafe fcheif_file_free(alpha)
      }
      // An exception of the encoder has the status corrupt.
      try (status == .corrupt ? .unsupported : status).check(message.string)
      let file = AVIFFile(
        size: pixels.size, color: unsafe ImageBytes.take(color), alpha: unsafe ImageBytes.take(alpha),
        chroma: pixels.format == .gray ? nil : subsampling.chosen(quality: quality), colors: colors, profile: profile,
        exif: EXIF.data(input.exif, saying: input.resolution) ?? [], xmp: input.xmp ?? [])
      guard let bytes = file.written() else { throw .unsupported("the image is too large for AVIF") }
      job.report(.encode, pixels.height, of: pixels.height)
      return bytes
    }

    private static func chroma(of subsampling: ChromaSubsampling, quality: Int) -> FCHEIFChroma {
      switch subsampling.chosen(quality: quality) {
      case .yuv444: .YUV444
      case .yuv422: .YUV422
      case .yuv420, .automatic: .YUV420
      }
    }

    /// JPEG's qualities, and AV1's for the same SSIMULACRA 2 score: means over 30 avatars of 512 pixels (`make
    /// bench-formats`). The encoders were libaom 3.6 at speed 7 and libjpeg-turbo 2.1, with full color from 90 on.
    private static let qualities = [
      (1, 5), (30, 41), (50, 53), (60, 56), (75, 67), (85, 78), (89, 84), (90, 88), (95, 94), (100, 100),
    ]

    private static func ownQuality(_ quality: Int) -> Int {
      let index = max(qualities.firstIndex { $0.0 >= quality } ?? qualities.count - 1, 1)
      let (low, high) = (qualities[index - 1], qualities[index])
      let share = Double(quality - low.0) / Double(high.0 - low.0)
      return low.1 + Int((share * Double(high.1 - low.1)).rounded())
    }
  }
#else
  /// The replacement in a build without the trait.
  enum AVIFEncoder {
    static func encode(
      _ input: EncoderInput, quality: Int, subsampling: ChromaSubsampling, speed: Int, job: Job
    ) throws(FaceCropError) -> [UInt8] {
      throw .unsupported("this build does not write AVIF (build it with the trait HEIF)")
    }
  }
#endif

extension AVIFEncoder {
  /// Returns the worst case measured with libaom 3.6 and noise, planes and file included; see
  /// ``Codecs/encodingBytes(as:area:format:limits:)``.
  static func bytes(
    area: Double, _ format: PixelBuffer.Format, quality: Int, subsampling: ChromaSubsampling, speed: Int
  ) -> Double {
    let perPixel: Double = format == .gray ? 20 : subsampling.chosen(quality: quality) == .yuv420 ? 30 : 46
    return area * (perPixel + (format == .rgba ? 8 : 0)) + (speed < 7 ? 16 : 10) * 0x1p20
  }
}
