internal import CJPEGShim

/// Encodes pixels as a JPEG file in memory.
enum JPEGEncoder {
  /// The largest profile that fits the 255 segments it may be split into.
  private static let largestProfile = 255 * (65_533 - 14)
  /// From this quality on, color is stored at full resolution: below it, quantization hides what 4:2:0 loses.
  private static let fullChromaQuality = 90

  /// See ``Codecs/encodingBytes(as:area:format:limits:)``.
  static func bytes(
    area: Double, _ format: PixelBuffer.Format, quality: Int, subsampling: ChromaSubsampling, isProgressive: Bool
  ) -> Double {
    let factors = factors(of: subsampling, quality: quality)
    let samples = format == .gray ? area : area + 2 * area / Double(factors.horizontal * factors.vertical)
    let fileBytes = samples * (quality > 95 ? 1.7 : quality >= fullChromaQuality ? 1 : 0.7)
    // All coefficients, two bytes each, of progressive files and of those that get Huffman tables of their own.
    let coefficientBytes = isProgressive || 2 * samples <= Double(FCJPEGLargestOptimized) ? 2 * samples : 0
    return fileBytes + coefficientBytes + 131_072
  }

  /// Samples of luma for each of color.
  private static func factors(
    of subsampling: ChromaSubsampling, quality: Int
  ) -> (horizontal: Int32, vertical: Int32) {
    switch subsampling {
    case .automatic: quality >= fullChromaQuality ? (1, 1) : (2, 2)
    case .yuv444: (1, 1)
    case .yuv422: (2, 1)
    case .yuv420: (2, 2)
    }
  }

  /// The crop, and behind it its gain map, of the same quality and with all of its colors.
  ///
  /// - Parameter background: of what is transparent.
  static func encode(
    _ crop: RenderedCrop, on background: BackgroundColor = .white, quality: Int,
    subsampling: ChromaSubsampling = .automatic, isProgressive: Bool = false, job: Job
  ) throws(FaceCropError) -> [UInt8] {
    func encoded(_ crop: RenderedCrop, _ subsampling: ChromaSubsampling, _ job: Job) throws(FaceCropError) -> [UInt8] {
      try encodePicture(
        crop, on: background, quality: quality, subsampling: subsampling, isProgressive: isProgressive, job: job)
    }
    guard let map = crop.gainMap else { return try encoded(crop, subsampling, job) }
    let silent = Job(limits: job.limits, cancellation: job.cancellation, progress: nil)
    let second = try encoded(RenderedCrop(of: map), .yuv444, silent)
    var first = crop
    first.xmp = nil
    return GainMapFile.joined(try encoded(first, subsampling, job), xmp: crop.xmp, second, map.metadata)
  }

  private static func encodePicture(
    _ crop: RenderedCrop, on background: BackgroundColor, quality: Int, subsampling: ChromaSubsampling,
    isProgressive: Bool, job: Job
  ) throws(FaceCropError) -> [UInt8] {
    try Codecs.check(quality: quality)
    let factors = factors(of: subsampling, quality: quality)
    let pixels = crop.pixels
    let format = pixels.format.opaque
    guard let encoder = unsafe fcjpeg_encoder_create() else { throw .outOfMemory }
    defer { unsafe fcjpeg_encoder_destroy(encoder) }
    let profile = crop.colorProfile.flatMap { $0.count <= largestProfile ? $0 : nil } ?? []
    let metadata = CropMetadata(exif: crop.exif, xmp: crop.xmp)
    let density = crop.resolution.map { UInt16(clamping: Int($0.rounded())) } ?? 0

    func check(_ status: FCJPEGStatus) throws(FaceCropError) {
      switch status {
      case .ok: return
      case .cancelled: throw .cancelled
      case .outOfMemory: throw .outOfMemory
      default: throw .invalidRequest(unsafe String(cString: fcjpeg_encoder_message(encoder)))
      }
    }
    try check(
      unsafe JPEGFile.withSegments(metadata, profile: profile) { segments in
        unsafe fcjpeg_encoder_start(
          encoder,
          FCJPEGEncoding(
            width: UInt32(pixels.width), height: UInt32(pixels.height), color: format.jpegColor,
            quality: Int32(quality), horizontalSubsampling: factors.horizontal,
            verticalSubsampling: factors.vertical, isProgressive: isProgressive, density: density, segments: segments,
            cancellation: job.cancellation.flag))
      })
    let bytesPerRow = pixels.width * format.channels
    try unsafe pixels.forEachBand(job, on: background) { (rows, count) throws(FaceCropError) in
      try check(unsafe fcjpeg_encoder_write_rows(encoder, rows.baseAddress!, bytesPerRow, rows.count, UInt32(count)))
    }
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    try check(unsafe fcjpeg_encoder_finish(encoder, &bytes, &count))
    return unsafe ImageBytes.take(bytes, count)
  }
}

extension RenderedCrop {
  /// A gain map as a picture of its own, without metadata.
  init(of map: GainMap) {
    self.init(
      pixels: map.pixels, region: PixelRect(whole: map.pixels.size, scale: 8), faces: [], crop: 0, path: .sequential)
  }
}
