/// One region of a JPEG picture as a file of its own, with its coefficients and quantization tables as they were.
public struct LosslessCrop: Hashable, Sendable {
  /// The JPEG file: the picture as stored, its orientation in an EXIF tag unless it is upright; the color profile as it was.
  public var bytes: [UInt8]
  /// What it shows, in pixels of the picture as displayed.
  public var region: PixelRect
  /// What was asked for: `region` is this, grown to the borders of iMCUs.
  public var asked: PixelRect
  /// Indices of the faces that it is for, in the plan; empty when it is for none.
  public var faces: [Int]
  /// The XMP packet in it, without what it says of a gain map; nil where there is none.
  public var xmp: [UInt8]?
  /// How its data were reached.
  public var path: DecodePath
}

/// What ``FaceCropper/cropLosslessly(_:request:progress:)`` gives.
public struct LosslessResult: Sendable {
  /// What was cut.
  public var plan: CropPlan
  /// One for each of the plan's crops, in order.
  public var crops: [LosslessCrop]
  /// What was wrong and did not keep the picture from being cropped, in a fixed order.
  public var warnings: [CropWarning]
  /// How the look reached its pixels; nil when a plan was given and nothing was looked at.
  public var lookPath: DecodePath?
}
