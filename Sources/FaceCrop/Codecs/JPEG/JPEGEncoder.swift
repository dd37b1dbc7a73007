internal import CJPEGShim

@safe final class JPEGEncoder: ShimObject, RowEncoder {
  private let bytesPerRow: Int

  /// Returns the bound of ``Codecs/encodingBytes(as:area:format:limits:)``.
  static func bytes(
    area: Double, _ format: PixelBuffer.Format, quality: Int, subsampling: ChromaSubsampling, isProgressive: Bool
  ) -> Double {
    let factors = factors(of: subsampling, quality: quality)
    let samples = format == .gray ? area : area + 2 * area / Double(factors.horizontal * factors.vertical)
    let fileBytes = samples * (quality > 95 ? 1.7 : quality >= ChromaSubsampling.fullQuality ? 1 : 0.7)
    // Progressive files, and those with optimized Huffman tables, hold all coefficients, two bytes each.
    let coefficientBytes = isProgressive || 2 * samples <= Double(FCJPEGLargestOptimized) ? 2 * samples : 0
    return fileBytes + coefficientBytes + 131_072
  }

  /// Returns the luma samples for each chroma sample.
  private static func factors(
    of subsampling: ChromaSubsampling, quality: Int
  ) -> (horizontal: Int32, vertical: Int32) {
    switch subsampling.chosen(quality: quality) {
    case .yuv444: (1, 1)
    case .yuv422: (2, 1)
    case .yuv420, .automatic: (2, 2)
    }
  }

  /// Encodes an image, followed by its gain map in the same quality and full color. `background` is behind transparent
  /// pixels.
  static func encode(
    _ input: EncoderInput, on background: BackgroundColor = .white, quality: Int,
    subsampling: ChromaSubsampling = .automatic, isProgressive: Bool = false, job: Job
  ) throws(FaceCropError) -> [UInt8] {
    func encoded(_ input: EncoderInput, _ subsampling: ChromaSubsampling, _ job: Job) throws(FaceCropError) -> [UInt8] {
      try encodePicture(
        input, on: background, quality: quality, subsampling: subsampling, isProgressive: isProgressive, job: job)
    }
    guard let map = input.gainMap else { return try encoded(input, subsampling, job) }
    let silent = Job(limits: job.limits, cancellation: job.cancellation, progress: nil)
    let second = try encoded(EncoderInput(pixels: map.pixels), .yuv444, silent)
    var first = input
    first.xmp = nil
    return GainMapFile.joined(try encoded(first, subsampling, job), xmp: input.xmp, second, map.metadata)
  }

  private static func encodePicture(
    _ input: EncoderInput, on background: BackgroundColor, quality: Int, subsampling: ChromaSubsampling,
    isProgressive: Bool, job: Job
  ) throws(FaceCropError) -> [UInt8] {
    try JPEGEncoder(
      input.pixels.size, input.pixels.format.opaque, quality: quality, subsampling: subsampling,
      isProgressive: isProgressive, profile: input.colorProfile,
      metadata: CropMetadata(exif: input.exif, xmp: input.xmp), resolution: input.resolution, job
    ).file(of: input.pixels, on: background, job)
  }

  init(
    _ size: PixelSize, _ format: PixelBuffer.Format, quality: Int, subsampling: ChromaSubsampling,
    isProgressive: Bool = false, profile: [UInt8]? = nil, metadata: CropMetadata = CropMetadata(), resolution: Double?,
    _ job: Job
  ) throws(FaceCropError) {
    try Codecs.check(quality: quality)
    let factors = Self.factors(of: subsampling, quality: quality)
    bytesPerRow = size.width * format.channels
    try unsafe super.init(fcjpeg_encoder_create(), fcjpeg_encoder_destroy, text: fcjpeg_encoder_message)
    let profile = profile.flatMap { $0.count <= JPEGSegments.largestProfile ? $0 : nil }
    let segments = try JPEGSegments.segments(of: metadata, profile: profile)
    let density = resolution.map { UInt16(clamping: Int($0.rounded())) } ?? 0
    try check(
      unsafe segments.withUnsafeBufferPointer { segments in
        unsafe fcjpeg_encoder_start(
          handle,
          FCJPEGEncoding(
            width: UInt32(size.width), height: UInt32(size.height), color: format.jpegColor,
            quality: Int32(quality), horizontalSubsampling: factors.horizontal,
            verticalSubsampling: factors.vertical, isProgressive: isProgressive, density: density,
            segments: FCBytes(segments), cancellation: job.cancellation.flag))
      })
  }

  func write(_ rows: UnsafeBufferPointer<UInt8>, count: Int) throws(FaceCropError) {
    try check(unsafe fcjpeg_encoder_write_rows(handle, rows.baseAddress!, bytesPerRow, rows.count, UInt32(count)))
  }

  func taken() -> [UInt8] { unsafe ImageBytes.copy(fcjpeg_encoder_take(handle)) }

  func finish() throws(FaceCropError) -> EncodedEnd {
    var bytes = unsafe FCBytes()
    try check(unsafe fcjpeg_encoder_finish(handle, &bytes))
    return EncodedEnd(bytes: unsafe ImageBytes.take(bytes))
  }

  override func check(_ status: FCStatus) throws(FaceCropError) { try status.checkEncoding(message) }
}
