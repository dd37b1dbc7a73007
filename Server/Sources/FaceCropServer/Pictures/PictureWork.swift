import FaceCrop

/// The steps from an image to the requested pixels.
struct PictureWork: Sendable {
  let pictures: CachingImageManager
  let request: PictureRequest
  let asset: ImageAsset
  /// The encoding; nil for pixels only.
  let encoding: ImageEncoding?
  let trace: RequestTrace

  func response() async throws(ImageRequestError) -> ImageResponse {
    switch request.part {
    case .faces(let crop):
      // A template's output has its own shape.
      if request.isExact, crop.composition.layout.template == nil { return try await filled(.faces(crop)) }
      let size = PixelSize(width: request.width ?? Int.max, height: request.height ?? Int.max)
      return try await response(.faces(crop), size, .aspectFit)
    case .whole(let covers, let turns):
      return try await whole(covers: covers, turns: turns)
    case .aligned(let horizontal, let vertical):
      guard let width = request.width, let height = request.height else { return try await whole() }
      let base = try await base()
      // The largest region with the shape of the response, in fractions of the base.
      let ratio = Double(width) / Double(height) * Double(base.size.height) / Double(base.size.width)
      let shape = (width: min(ratio, 1), height: min(1 / ratio, 1))
      let place = NormalizedRect(
        x: (1 - shape.width) * horizontal, y: (1 - shape.height) * vertical, width: shape.width, height: shape.height)
      return try await filled(.normalizedCropRect(base.rect.part(place)))
    case .smart:
      guard let width = request.width, let height = request.height else { return try await whole() }
      let shape = Composition(.fill(AspectRatio(width: Double(width), height: Double(height))))
      return try await filled(
        .faces(CropRequest(search: FaceSearch(faces: .union, noFace: .attention), composition: shape)))
    }
  }

  /// Reports the phase to the trace.
  func follow(_ progress: CropProgress) -> ProgressAction {
    if let phase = RequestTrace.Phase(rawValue: progress.phase.rawValue) { trace.begin(phase) }
    return .goOn
  }

  /// Renders the whole image. A missing side follows from the other.
  private func whole(covers: Bool = false, turns: Bool = false) async throws(ImageRequestError) -> ImageResponse {
    let mode = covers ? ContentMode.aspectFill : .aspectFit
    let isOneSided = (request.width == nil) != (request.height == nil)
    // Reads the header only if it is needed.
    let base = request.corners != nil || turns || isOneSided ? try await base() : nil
    let part: ImageCrop = request.corners == nil ? .none : .normalizedCropRect(base!.rect)
    switch (request.width, request.height) {
    case (let width?, let height?):
      var target = PixelSize(width: width, height: height)
      if turns, let size = base?.size {
        let isTurned = size.width < size.height && width > height || size.width > size.height && width < height
        if isTurned { target = PixelSize(width: height, height: width) }
      }
      return try await response(part, target, mode)
    case (nil, nil):
      return try await response(part, .maximum, mode)
    case (let width, let height):
      let size = base!.size
      func follows(_ side: Int, _ own: Int, _ other: Int) -> Int { max((side * other + own - 1) / own, 1) }
      let target = PixelSize(
        width: width ?? follows(height!, size.height, size.width),
        height: height ?? follows(width!, size.width, size.height))
      return try await response(part, target, .aspectFit)
    }
  }

  /// Renders a region in exactly the requested size, or without enlarging in its shape. The region's shape may differ:
  /// slightly, since regions have whole pixels, or since it is the whole image.
  private func filled(_ part: ImageCrop) async throws(ImageRequestError) -> ImageResponse {
    let target = PixelSize(width: request.width!, height: request.height!)
    return try await response(part, target, .aspectFill, isCut: true)
  }

  private func response(
    _ crop: ImageCrop, _ size: PixelSize, _ mode: ContentMode, isCut: Bool = false
  ) async throws(ImageRequestError) -> ImageResponse {
    var options = ImageRequestOptions()
    options.crop = crop
    options.deliveryMode = .highQuality
    options.allowsUpscaling = request.allowsUpscaling
    options.isCutToTarget = isCut
    options.encoding = encoding
    return try await pictures.response(
      to: ImageRequest(asset, targetSize: size, contentMode: mode, options: options),
      events: RequestEvents(progress: follow))
  }

  /// Returns the rectangle to treat as the image, and its size in pixels.
  private func base() async throws(ImageRequestError) -> (rect: NormalizedRect, size: PixelSize) {
    let size = try await pictures.manager.info(of: asset).size
    guard let corners = request.corners else { return (.whole, size) }
    let (right, bottom) = (min(corners.right, size.width), min(corners.bottom, size.height))
    guard corners.left < right, corners.top < bottom else {
      throw .image(
        .invalidRequest("the manual crop lies outside the image, which is \(size.width)×\(size.height)"))
    }
    let rect = PixelRect(
      x: corners.left, y: corners.top, width: right - corners.left, height: bottom - corners.top)
    return (rect.normalized(in: size), rect.size)
  }
}

extension NormalizedRect {
  /// Converts a rectangle from fractions of this region to fractions of the image.
  fileprivate func part(_ part: NormalizedRect) -> NormalizedRect {
    NormalizedRect(
      x: x + part.x * width, y: y + part.y * height, width: part.width * width, height: part.height * height)
  }
}
