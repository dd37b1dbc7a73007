/// A decoder for the background image of a request, which decodes it once for all outputs.
final class BackgroundDecoder {
  private let sizes: [PixelSize]
  private var decoded: PixelBuffer?

  /// Creates a decoder for outputs of these sizes.
  init(for sizes: [PixelSize]) { self.sizes = sizes }

  /// Returns the middle of the image that has the shape of `size`, at this size, in sRGB.
  func picture(
    of image: BackgroundImage, covering size: PixelSize, _ job: Job
  ) throws(FaceCropError) -> PixelBuffer {
    let picture: PixelBuffer
    if let decoded { picture = decoded } else { picture = try decode(image, for: sizes.isEmpty ? [size] : sizes, job) }
    decoded = picture
    guard picture.size != size else { return picture }
    let part = Part(covering: size, in: picture.size).rect
    return picture.resampled(
      horizontal: part.x * Double(picture.width)..<(part.x + part.width) * Double(picture.width),
      vertical: part.y * Double(picture.height)..<(part.y + part.height) * Double(picture.height), to: size)
  }

  /// Decodes the smallest part that contains the middles for all sizes. It is not enlarged, except for outputs of one
  /// shape. The image is untrusted, so the job's limits apply to it as to any other.
  private func decode(
    _ image: BackgroundImage, for sizes: [PixelSize], _ job: Job
  ) throws(FaceCropError) -> PixelBuffer {
    do throws(FaceCropError) {
      return try Codecs.withSession(image.bytes.span, isFileMapping: false, allowsDamage: false, job: job) {
        (session) throws(FaceCropError) in
        try session.checkHeader(fileBytes: image.bytes.count, job.limits)
        try session.admit()
        let whole = session.header.displaySize
        let parts = sizes.map { Part(covering: $0, in: whole) }
        var part = Part(width: parts.map(\.width).max() ?? 1, height: parts.map(\.height).max() ?? 1)
        let largest = sizes.indices.max { sizes[$0].area < sizes[$1].area } ?? 0
        let haveOneShape = part.isLike(parts[largest])
        if haveOneShape { part = parts[largest] }
        let renderer = RegionRenderer(
          CropPlan.Crop(region: part.rect, faces: []), in: whole, fill: .edge, session: session)
        let scale = zip(sizes, parts).reduce(0) { max($0, Double($1.0.width) / ($1.1.width * Double(whole.width))) }
        let size = haveOneShape ? sizes[largest] : renderer.outputSize.scaled(by: min(scale, 1))
        let decoded = try renderer.pictures(sizes: [size], limits: job.limits, isLast: true, progress: .silent)
        return try Coloring(.srgb, from: session.header.profile, job).apply(to: decoded.value[0]).0.inColor()
      }
    } catch {
      throw error.ofBackground
    }
  }

  /// A part in the middle of an image, in fractions of the image's sides.
  private struct Part {
    var width: Double
    var height: Double

    init(width: Double, height: Double) { (self.width, self.height) = (width, height) }

    /// The largest part with the shape of `size`.
    init(covering size: PixelSize, in whole: PixelSize) {
      let scale = min(Double(whole.width) / Double(size.width), Double(whole.height) / Double(size.height))
      width = Double(size.width) * scale / Double(whole.width)
      height = Double(size.height) * scale / Double(whole.height)
    }

    var rect: NormalizedRect {
      NormalizedRect(
        x: max((1 - width) / 2, 0), y: max((1 - height) / 2, 0), width: min(width, 1), height: min(height, 1))
    }

    /// Whether the part differs by rounding alone.
    func isLike(_ other: Part) -> Bool { abs(width - other.width) < 0.01 && abs(height - other.height) < 0.01 }
  }
}

extension FaceCropError {
  /// The same error, which names the background image as its subject.
  var ofBackground: FaceCropError {
    switch self {
    case .unreadable(let reason): .unreadable("the background image: \(reason)")
    case .unsupported(let what): .unsupported("the background image: \(what)")
    case .corrupt(let what): .corrupt("the background image: \(what)")
    case .truncated: .corrupt("the background image: it is truncated")
    default: self
    }
  }
}
