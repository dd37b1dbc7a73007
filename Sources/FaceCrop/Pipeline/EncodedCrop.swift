/// A region of an image at one size, as a file: encoded, with all frames of an animation, or cut out of a JPEG file with
/// unchanged coefficients and quantization tables.
public struct EncodedCrop: Hashable, Sendable {
  /// The bytes of the file. The pixels of a lossless crop are oriented as stored, with an EXIF orientation tag unless
  /// upright, and its color profile is unchanged.
  public var bytes: [UInt8]
  /// The format of the file.
  public var format: ImageFormat
  /// The quality, 0 to 100; nil for a lossless format, and for a lossless crop.
  public var quality: Int?
  /// The size as displayed, in pixels.
  public var size: PixelSize
  /// The region that the file shows, in pixels of the image as displayed. A lossless crop extends it to iMCU borders.
  public var region: PixelRect
  /// The indices of the crop's faces in the plan. Empty for a crop without a face.
  public var faces: [Int]
  /// The index of the crop in the plan.
  public var crop: Int
  /// The number of frames; 1 if the file is not animated.
  public var frameCount = 1
  /// The time that all frames show, in milliseconds; 0 if the file is not animated.
  public var milliseconds = 0
  /// The number of times that an animation plays; 0 repeats it forever.
  public var plays = 1
  /// The XMP packet in the file, without the fields of a gain map; nil for none.
  public var xmp: [UInt8]?
  /// The method that decoded the pixels, or read the data.
  public var path: DecodePath
  /// The lowest confidence of a frame that the people are cut out well; nil without a new background.
  public var cutoutConfidence: Double?
  /// The view of the image that the crop shows; nil if positions in it are not needed.
  var view: CropView? = nil
}

extension EncodedCrop {
  /// Creates the file of a rendered crop.
  init(_ crop: RenderedCrop, _ bytes: [UInt8], as format: OutputFormat) {
    self.init(
      bytes: bytes, format: format.imageFormat, quality: format.quality, size: crop.size, region: crop.region,
      faces: crop.faces, crop: crop.crop, xmp: crop.xmp, path: crop.path, cutoutConfidence: crop.cutoutConfidence,
      view: crop.view)
  }

  /// Returns the landmarks of the crop's face, in fractions of the output; see ``RenderedCrop/landmarks(in:)``.
  public func landmarks(in plan: CropPlan) -> FaceLandmarks? { view?.landmarks(of: faces, in: plan) }

  /// Returns the share of its area that lies outside the image, 0…1; see ``CropPlan/paddedShares``.
  public func paddedShare(in plan: CropPlan) -> Double {
    plan.crops.indices.contains(crop) && plan.crops[crop].frame != nil ? view?.share(outside: plan.source) ?? 0 : 0
  }

  /// The affine map from the image to the output; see ``RenderedCrop/matrix``.
  public var matrix: [Double]? { view?.map(to: size).betweenCenters.rows }
}
