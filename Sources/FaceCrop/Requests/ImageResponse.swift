/// The image that answers a request.
public struct ImageResponse: Hashable, Sendable {
  /// The pixels.
  public var image: PixelView
  /// Whether it is a preview, or has less detail than requested.
  public var isDegraded: Bool
  /// The plan of the run, with the crop that it shows, cut to its shape. Positions are those in the image as displayed,
  /// or as stored for ``ImageVersion/original``.
  public var plan: CropPlan
  /// The format of the source file.
  public var format: ImageFormat
  /// The ICC profile of the pixels; nil for sRGB or gray.
  public var colorProfile: [UInt8]?
  /// The problems that did not prevent rendering, with those of the plan.
  public var warnings: [CropWarning]
  /// The image as a file without metadata. Nil in previews, and unless ``ImageRequestOptions/encoding`` requests it. Under
  /// ``AnimationPolicy/keep``, it has all frames of an animation, and the other properties describe the first one.
  public var file: EncodedImage?

  /// Creates a response, for a fake in a test, or another ``ImageRequesting``.
  public init(
    image: PixelView, isDegraded: Bool = false, plan: CropPlan, format: ImageFormat, colorProfile: [UInt8]? = nil,
    warnings: [CropWarning] = [], file: EncodedImage? = nil
  ) {
    (self.image, self.isDegraded, self.plan, self.format) = (image, isDegraded, plan, format)
    (self.colorProfile, self.warnings, self.file) = (colorProfile, warnings, file)
  }

  /// The region that it shows, in the image as displayed, or as stored for ``ImageVersion/original``.
  public var region: NormalizedRect { plan.crops.first?.region ?? .whole }
  /// The size of the whole image in pixels, as displayed and rotated, or as stored.
  public var sourceSize: PixelSize { plan.source }
  /// The faces, highest score first; empty if none were searched.
  public var faces: [Face] { plan.faces }

  var byteCount: Int { image.base.bytes.count + (colorProfile?.count ?? 0) }
}

/// The return value of a progress callback.
public enum ProgressAction: Sendable {
  /// Continues the request.
  case goOn
  /// Ends the request like a cancellation.
  case stop
}
