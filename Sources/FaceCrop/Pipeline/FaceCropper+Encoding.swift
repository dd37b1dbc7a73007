extension FaceCropper {
  /// A crop as the bytes of a file.
  ///
  /// - Parameters:
  ///   - crop: One of a ``CropResult``.
  ///   - format: The file's, with its quality or level.
  ///   - background: Shows through what is transparent where the format knows no transparency. Default white.
  ///   - progress: Called from the thread that encodes.
  /// - Throws: ``FaceCropError/invalidRequest(_:)``, ``FaceCropError/outOfMemory`` or ``FaceCropError/cancelled``.
  public func encode(
    _ crop: RenderedCrop, as format: OutputFormat, background: BackgroundColor = .white,
    progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> [UInt8] {
    try await Job.run(limits: limits, progress: progress) { (job) throws(FaceCropError) in
      job.report(.encode, 0, of: 1)
      return try Codecs.encode(crop, as: format, background: background, job: job)
    }
  }

  /// A crop as a file of at most so many bytes: of the format's quality and those below it, the highest that fits is found by halving,
  /// in at most eight runs of the encoder.
  ///
  /// - Parameters:
  ///   - crop: One of a ``CropResult``.
  ///   - format: JPEG or WebP with a quality, from which the search goes down. A lossless one has no quality that could be lower: it fits, or
  ///     does not.
  ///   - allowed: Bytes of the file.
  ///   - background: As of ``encode(_:as:background:progress:)``.
  ///   - progress: Called from the thread that encodes, once for each run.
  /// - Returns: The file's bytes, and the quality that was found; nil where there is none.
  /// - Throws: ``FaceCropError/tooLarge(bytes:allowed:)`` where the smallest takes more, and what that function throws.
  public func encode(
    _ crop: RenderedCrop, as format: OutputFormat, atMost allowed: Int, background: BackgroundColor = .white,
    progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> (bytes: [UInt8], quality: Int?) {
    guard let best = format.quality else {
      let bytes = try await encode(crop, as: format, background: background, progress: progress)
      guard bytes.count <= allowed else { throw .tooLarge(bytes: bytes.count, allowed: allowed) }
      return (bytes, nil)
    }
    try Codecs.check(quality: best)
    return try await Job.run(limits: limits, progress: progress) { (job) throws(FaceCropError) in
      job.report(.encode, 0, of: 8)
      func encoded(_ quality: Int) throws(FaceCropError) -> [UInt8] {
        let silent = Job(limits: job.limits, cancellation: job.cancellation, progress: nil)
        return try Codecs.encode(crop, as: format.with(quality: quality), background: background, job: silent)
      }
      var found: (bytes: [UInt8], quality: Int?)?
      var least = 0
      // What is below `low` fits, what is above `high` does not.
      var (low, high, next, runs) = (1, best, best, 0)
      while low <= high {
        let bytes = try encoded(next)
        if bytes.count <= allowed {
          (found, low) = ((bytes, next), next + 1)
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
