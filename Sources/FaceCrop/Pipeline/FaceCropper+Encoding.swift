extension FaceCropper {
  /// Encodes a crop as a file in memory.
  ///
  /// - Parameters:
  ///   - crop: A crop of a ``CropResult``.
  ///   - format: The file format, with its quality or level.
  ///   - background: The color behind transparent pixels in formats without transparency. Default white.
  ///   - progress: Called on the encoding thread.
  /// - Returns: The bytes of the file.
  /// - Throws: ``FaceCropError/invalidRequest(_:)``, ``FaceCropError/outOfMemory`` or ``FaceCropError/cancelled``.
  public func encode(
    _ crop: RenderedCrop, as format: OutputFormat, background: BackgroundColor = .white,
    progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> [UInt8] {
    try await Job.run(limits: limits, progress: progress) { (job) throws(FaceCropError) in
      job.report(.encode, 0, of: 1)
      return try Codecs.encode(crop.encoderInput, as: format, background: background, job: job)
    }
  }

  /// Encodes a crop as a file with an upper bound for its size. A binary search finds the highest quality that fits, in
  /// up to eight runs of the encoder.
  ///
  /// - Parameters:
  ///   - crop: A crop of a ``CropResult``.
  ///   - format: JPEG, WebP or AVIF; the search starts at its quality. A lossless format has only one try.
  ///   - allowed: The upper bound in bytes; nil for none.
  ///   - background: The color behind transparent pixels in formats without transparency. Default white.
  ///   - progress: Called on the encoding thread after each run.
  /// - Returns: The file, and its quality.
  /// - Throws: ``FaceCropError/tooLarge(bytes:allowed:)`` if even the smallest file exceeds the bound, and the errors
  ///   of ``encode(_:as:background:progress:)``.
  public func encode(
    _ crop: RenderedCrop, as format: OutputFormat, atMost allowed: Int?, background: BackgroundColor = .white,
    progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> EncodedCrop {
    guard let allowed, let best = format.quality else {
      let bytes = try await encode(crop, as: format, background: background, progress: progress)
      if let allowed, bytes.count > allowed { throw .tooLarge(bytes: bytes.count, allowed: allowed) }
      return EncodedCrop(crop, bytes, as: format)
    }
    try Codecs.check(quality: best)
    return try await Job.run(limits: limits, progress: progress) { (job) throws(FaceCropError) in
      job.report(.encode, 0, of: 8)
      let input = try crop.encoderInput
      func encoded(_ quality: Int) throws(FaceCropError) -> [UInt8] {
        let silent = Job(limits: job.limits, cancellation: job.cancellation, progress: nil)
        return try Codecs.encode(input, as: format.with(quality: quality), background: background, job: silent)
      }
      var found: EncodedCrop?
      var least = 0
      // Qualities below `low` fit, and those above `high` do not.
      var (low, high, next, runs) = (1, best, best, 0)
      while low <= high {
        let bytes = try encoded(next)
        if bytes.count <= allowed {
          (found, low) = (EncodedCrop(crop, bytes, as: format.with(quality: next)), next + 1)
        } else {
          (least, high) = (bytes.count, next - 1)
        }
        next = (low + high + 1) / 2
        runs += 1
        job.report(.encode, min(runs, 7), of: 8)
      }
      guard let found else { throw .tooLarge(bytes: least, allowed: allowed) }
      job.report(.encode, 8, of: 8)
      return found
    }
  }
}

extension RenderedCrop {
  /// The image and its metadata, for an encoder. Callers can set the resolution, so it is checked.
  var encoderInput: EncoderInput {
    get throws(FaceCropError) {
      guard resolution.map(CropOutput.resolutions.contains) != false else { throw CropOutput.badResolution }
      return EncoderInput(
        pixels: pixels, colorProfile: colorProfile, exif: exif, xmp: xmp, resolution: resolution, gainMap: gainMap)
    }
  }
}
