import FaceCrop

/// One picture's way to the pixels that were asked for.
struct PictureWork: Sendable {
  let pictures: CachingImageManager
  let header: FaceCropper
  let request: PictureRequest
  let asset: ImageAsset
  let bytes: [UInt8]
  let trace: RequestTrace

  func response() async throws(ImageRequestError) -> ImageResponse {
    switch request.part {
    case .faces(let crop):
      let size = PixelSize(width: request.width ?? Int.max, height: request.height ?? Int.max)
      return try await response(.faces(crop), size, .aspectFit)
    case .whole(let covers):
      return try await whole(covers: covers)
    case .aligned(let horizontal, let vertical):
      guard let width = request.width, let height = request.height else { return try await whole(covers: false) }
      let source = try await size()
      let shape = Shape(width: width, height: height, in: source)
      return try await filled(
        .normalizedCropRect(shape.rect(x: (1 - shape.width) * horizontal, y: (1 - shape.height) * vertical)))
    case .smart:
      guard let width = request.width, let height = request.height else { return try await whole(covers: false) }
      let shape = Composition(
        aspect: AspectRatio(width: Double(width), height: Double(height)), fillsPicture: true)
      return try await filled(
        .faces(CropRequest(search: FaceSearch(faces: .union, noFace: .attention), composition: shape)))
    }
  }

  /// All of it. A side that was not said follows from the other.
  private func whole(covers: Bool) async throws(ImageRequestError) -> ImageResponse {
    let mode = covers ? ContentMode.aspectFill : .aspectFit
    switch (request.width, request.height) {
    case (let width?, let height?): return try await response(.none, PixelSize(width: width, height: height), mode)
    case (nil, nil): return try await response(.none, .maximum, mode)
    case (let width, let height):
      let source = try await size()
      func follows(_ side: Int, _ own: Int, _ other: Int) -> Int { max((side * other + own - 1) / own, 1) }
      let target = PixelSize(
        width: width ?? follows(height!, source.height, source.width),
        height: height ?? follows(width!, source.width, source.height))
      return try await response(.none, target, .aspectFit)
    }
  }

  /// A part with the size's shape, in just that size.
  private func filled(_ part: ImageCrop) async throws(ImageRequestError) -> ImageResponse {
    let target = PixelSize(width: request.width!, height: request.height!)
    var response = try await response(part, target, .aspectFill)
    // Regions have whole pixels, so that their shape is not quite the size's.
    let made = response.image.size
    let (width, height) = (min(target.width, made.width), min(target.height, made.height))
    let rect = PixelRect(x: (made.width - width) / 2, y: (made.height - height) / 2, width: width, height: height)
    if let exact = response.image.cropping(to: rect) { response.image = exact }
    return response
  }

  private func response(
    _ crop: ImageCrop, _ size: PixelSize, _ mode: ContentMode
  ) async throws(ImageRequestError) -> ImageResponse {
    var options = ImageRequestOptions()
    options.crop = crop
    options.deliveryMode = .highQuality
    options.isEnlargingAllowed = request.enlarges
    let events = RequestEvents(progress: { [trace] progress in
      if let phase = RequestTrace.Phase(rawValue: progress.phase.rawValue) { trace.begin(phase) }
      return .goOn
    })
    return try await pictures.response(
      to: ImageRequest(asset, targetSize: size, contentMode: mode, options: options), events: events)
  }

  /// The picture's, as it is displayed.
  private func size() async throws(ImageRequestError) -> PixelSize {
    do {
      return try await header.info(of: .bytes(bytes)).size
    } catch {
      throw .picture(error)
    }
  }

  /// The largest part of a picture that has a shape, in fractions of the picture.
  private struct Shape {
    let width: Double
    let height: Double

    init(width: Int, height: Int, in picture: PixelSize) {
      let ratio = Double(width) / Double(height) * Double(picture.height) / Double(picture.width)
      self.width = min(ratio, 1)
      self.height = min(1 / ratio, 1)
    }

    func rect(x: Double, y: Double) -> NormalizedRect {
      NormalizedRect(
        x: min(max(x, 0), 1 - width), y: min(max(y, 0), 1 - height), width: width, height: height)
    }
  }
}
