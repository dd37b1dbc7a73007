/// An image with hidden faces.
public struct AnonymizedImage: Hashable, Sendable {
  /// The file.
  public var bytes: [UInt8]
  /// The format of the file.
  public var format: ImageFormat
  /// The size as displayed, in pixels.
  public var size: PixelSize
  /// The faces, and the hidden areas as crops. Each area fills the frame of its crop, or else the region.
  public var plan: CropPlan
  /// Whether only the blocks of a JPEG with hidden samples were encoded again. If not, the whole image was.
  public var keepsBlocks: Bool
  /// The problems that did not prevent the work, in a fixed order.
  public var warnings: [CropWarning]
  /// The method of the detection pass; nil if a plan was given.
  public var detectionPath: DecodePath?
  /// The method that read the image.
  public var path: DecodePath
}

extension AnonymizedImage {
  /// The numbers of hidden faces with low scores, which may show no face.
  public var doubtfulFaces: [Int] { plan.doubtfulFaces }
}
