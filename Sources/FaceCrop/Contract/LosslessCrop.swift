/// A region of a JPEG image as a file of its own, with unchanged coefficients and quantization tables.
public struct LosslessCrop: Hashable, Sendable {
  /// The JPEG file. Its pixels are oriented as stored, with an EXIF orientation tag unless upright, and its color
  /// profile is unchanged.
  public var bytes: [UInt8]
  /// The region that the file shows, in pixels of the image as displayed.
  public var region: PixelRect
  /// The requested region; `region` extends it to iMCU borders.
  public var requested: PixelRect
  /// The indices of the crop's faces in the plan. Empty for a crop without a face.
  public var faces: [Int]
  /// The XMP packet in the output, without the fields of a gain map; nil if it has none.
  public var xmp: [UInt8]?
  /// The method that read the data.
  public var path: DecodePath
}

/// The result of ``FaceCropper/cropLosslessly(_:request:progress:)``.
public struct LosslessResult: Sendable {
  /// The plan of the crops.
  public var plan: CropPlan
  /// The crops, in the order of the plan.
  public var crops: [LosslessCrop]
  /// The problems that did not prevent cropping, in a fixed order.
  public var warnings: [CropWarning]
  /// The method of the detection pass; nil if a plan was given.
  public var detectionPath: DecodePath?
}
