extension ImageRequest {
  /// The crop that answers the request, without metadata and gain map. The whole image and a rectangle need no search.
  var cropRequest: CropRequest {
    var request = CropRequest()
    if case .faces(let faces) = options.crop { request = faces }
    if options.version == .original { request.search.upright = .off }
    let isResized = targetSize != .maximum && options.resizeMode != .none
    request.output.color = options.color
    request.output.allowsUpscaling = options.allowsUpscaling && isResized && options.resizeMode == .exact
    (request.output.metadata, request.output.sidecar, request.output.resolution) = (.strip, nil, nil)
    request.output.gainMap = .drop
    // A template's output has its own shape.
    if let exactSize, request.composition.layout.template == nil {
      request.output.sizes = [exactSize]
    } else {
      request.output.sizes = isResized ? [contentMode == .aspectFit ? .fit(targetSize) : .cover(targetSize)] : []
    }
    return request
  }

  /// The way to the output's size.
  var sampling: FinalPass.Sampling {
    switch options.resizeMode {
    case .none: .none
    case .fast: .codec
    case .exact: options.deliveryMode == .fast ? .codec : .light
    }
  }

  /// The size whose shape the crop gets; nil for none.
  private var exactSize: OutputSize? {
    guard options.isCutToTarget, contentMode == .aspectFill, targetSize.longSide <= OutputSize.largestSide else {
      return nil
    }
    return .exact(width: targetSize.width, height: targetSize.height)
  }

  /// Whether an embedded preview may be the response.
  var allowsPreview: Bool {
    options.deliveryMode == .fast && options.crop == .none && options.resizeMode != .none && exactSize == nil
  }

  /// Whether the response's file has all frames of an animation.
  var keepsFrames: Bool {
    guard case .faces(let faces) = options.crop else { return false }
    return faces.search.animation == .keep && options.encoding != nil
  }

  /// Returns the format of the response's file; nil for none.
  func output(for source: ImageFormat, isAnimated: Bool) throws(FaceCropError) -> OutputFormat? {
    isAnimated && keepsFrames
      ? try options.encoding?.animatedOutput(for: source) : options.encoding?.output(for: source)
  }

  /// Returns the demand of the work on an image with this header.
  func demand(of info: ImageInfo) throws(ImageRequestError) -> DecodeQueue.Demand {
    var crop = cropRequest
    // Without resizing, a size is only a shape.
    if options.resizeMode == .none { crop.output.sizes = [] }
    let output = try ImageRequestError.typed { () throws(FaceCropError) in
      try self.output(for: info.format, isAnimated: info.isAnimated)
    }
    let memory = info.memory(for: crop, as: output, encodedPixels: mostEncodedPixels)
    return DecodeQueue.Demand(memory: memory, isExpensive: info.cost(for: crop) > DecodeQueue.expensiveCost)
  }

  /// An upper bound of the pixels to encode; nil if only the image bounds them.
  private var mostEncodedPixels: Double? {
    exactSize != nil && sampling == .light ? Double(targetSize.width) * Double(targetSize.height) : nil
  }

  /// Throws ``ImageRequestError/image(_:)`` if a number is not finite or out of its range, before it is in a key.
  func check() throws(ImageRequestError) {
    try ImageRequestError.typed { () throws(FaceCropError) in
      guard targetSize.shortSide > 0 else {
        throw .invalidRequest("the sides of the target size must be at least 1 pixel")
      }
      guard !cropRequest.output.allowsUpscaling || targetSize.longSide <= OutputSize.largestSide else {
        throw OutputSize.tooLarge
      }
      switch options.crop {
      case .none: break
      case .normalizedCropRect(let rect):
        guard rect.isValid else { throw .invalidRequest("the crop rectangle lies outside the image") }
      case .faces(let request): try request.check()
      }
    }
  }
}
