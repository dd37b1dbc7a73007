extension ImageManager {
  /// Hides the faces in a whole image, as ``FaceCropper/blur(_:request:plan:as:progress:)`` does, and keeps
  /// everything else.
  ///
  /// The request shares the queue, the memory budget, and the deadline with all others. It is admitted by
  /// ``ImageInfo/memory(for:as:)-(BlurRequest,_)``. Equal concurrent requests share the work. This search finds more
  /// faces than the one for crops. Its faces are cached, so another request to hide faces in the same image skips the
  /// search.
  ///
  /// - Parameters:
  ///   - asset: The image.
  ///   - blur: The faces to hide, the way to hide them, and the metadata to keep. Default blurs all faces.
  ///   - keepsBlocks: Whether a JPEG file that stays JPEG is encoded again only where faces are hidden, whatever the
  ///     quality of the encoding. Default true.
  ///   - options: The encoding, priority, network access, and deadline. No other option counts. Without an encoding,
  ///     JPEG, PNG, and WebP keep their format, and others become JPEG.
  ///   - progress: Called with each report; may stop the request.
  /// - Throws: Any ``ImageRequestError``. An image without a face is no error. A cancelled task ends with
  ///   ``FaceCropError/cancelled``.
  public func blurredImage(
    for asset: ImageAsset, blur: BlurRequest = BlurRequest(), keepsBlocks: Bool = true,
    options: ImageRequestOptions = ImageRequestOptions(),
    progress: (@Sendable (CropProgress) -> ProgressAction)? = nil
  ) async throws(ImageRequestError) -> BlurredImage {
    count(\.requests)
    try ImageRequestError.typed { () throws(FaceCropError) in try blur.check() }
    let resolved = try ResolvedAsset(asset)
    try check(resolved, isNetworkAccessAllowed: options.isNetworkAccessAllowed)
    let request = BlurKey(
      asset: resolved.version, blur: blur, encoding: options.encoding, keepsBlocks: keepsBlocks)
    return try await outcome(
      of: request, in: blurring, options, events: .init(progress: progress)
    ) { (reporter) async throws(ImageRequestError) in
      try await self.answer(
        resolved, reporter, encodes: false,
        demand: { (info) throws(ImageRequestError) in request.demand(of: info) }
      ) { (source, place, progress) async throws(FaceCropError) in
        try await self.looking(.init(blur: blur, in: resolved.version)) {
          (known, looked) async throws(FaceCropError) in
          try await self.cropper.run(
            source, allowsDamage: blur.allowsDamage, on: .unlimited, admission: place.admission,
            progress: progress, phases: known == nil ? [.overview, .detect, .render] : [.render]
          ) { [cropper = self.cropper] (session, job) throws(FaceCropError) in
            let (output, warning) = request.output(
              for: session.format, size: session.header.displaySize, hasAlpha: session.header.hasAlpha)
            var made = try cropper.blur(
              session, blur, plan: nil, known: known, as: output, job, looked: looked)
            if let warning { made.warnings.append(warning) }
            return made
          }
        }
      }
    }
  }
}

/// Everything that determines the response to a request for hidden faces.
struct BlurKey: Hashable, Sendable {
  var asset: AssetVersion
  var blur: BlurRequest
  var encoding: ImageEncoding?
  var keepsBlocks: Bool

  /// Returns the format of the result; nil for a JPEG that keeps its blocks. And a warning if another one is wanted.
  func output(
    for source: ImageFormat, size: PixelSize, hasAlpha: Bool
  ) -> (OutputFormat?, warning: CropWarning?) {
    let (output, warning) = encoding?.output(for: source, size: size, hasAlpha: hasAlpha) ?? (source.usualOutput, nil)
    return (keepsBlocks && source == .jpeg && output.imageFormat == .jpeg ? nil : output, warning)
  }

  /// Returns the demand of the work on an image with this header.
  func demand(of info: ImageInfo) -> DecodeQueue.Demand {
    let output = output(for: info.format, size: info.size, hasAlpha: info.hasTransparency).0
    // The cost is that of a quarter of the image, and the whole image is read.
    return DecodeQueue.Demand(
      memory: info.memory(for: blur, as: output),
      isExpensive: 4 * info.cost > DecodeQueue.expensiveCost)
  }
}
