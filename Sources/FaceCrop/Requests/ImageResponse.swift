/// A picture that was asked for.
public struct ImageResponse: Hashable, Sendable {
  /// The pixels.
  public var image: PixelView
  /// Whether it has less detail than was asked for, or is a preview.
  public var isDegraded: Bool
  /// The part that it shows, of the picture as displayed, or as stored.
  public var region: NormalizedRect
  /// The whole picture, in pixels, as displayed, or as stored.
  public var sourceSize: PixelSize
  /// The file's format.
  public var format: ImageFormat
  /// The faces that were found; empty when none were looked for. Highest score first.
  public var faces: [Face]
  /// The ICC profile that describes the pixels; nil is sRGB, or gray.
  public var colorProfile: [UInt8]?
  /// What is wrong with the picture and did not keep it from being shown.
  public var warnings: [CropWarning]
  /// The image as a file, without metadata; nil unless ``ImageRequestOptions/encoding`` asked for it.
  public var file: EncodedImage?

  /// Bytes of the pixels and the color profile.
  var byteCount: Int { image.base.bytes.count + (colorProfile?.count ?? 0) }
}

/// What a request's progress is answered with.
public enum ProgressAction: Sendable {
  /// Nothing.
  case goOn
  /// Ends the request like a cancellation.
  case stop
}
