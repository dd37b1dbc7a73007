/// A region of an animation at one size, with all frames, as a file.
public struct AnimatedCrop: Hashable, Sendable {
  /// The file.
  public var bytes: [UInt8]
  /// The size in pixels.
  public var size: PixelSize
  /// The region in pixels of the animation as displayed.
  public var region: PixelRect
  /// The indices of the crop's faces in the plan. Empty for a crop without a face.
  public var faces: [Int]
  /// The index of the crop in the plan.
  public var crop: Int
  /// The number of frames; 1 if the input is not animated.
  public var frameCount: Int
  /// The time that all frames show, in milliseconds.
  public var milliseconds: Int
  /// The number of times that it plays; 0 repeats it forever.
  public var plays: Int
  /// The XMP packet in the file; nil for none.
  public var xmp: [UInt8]?
  /// The method that decoded the pixels.
  public var path: DecodePath
  /// The lowest confidence of a frame that the people are cut out well; nil without a new background.
  public var cutoutConfidence: Double?
  /// The view of the animation that the crop shows; nil if positions in it are not needed.
  var view: CropView? = nil
}

extension AnimatedCrop {
  /// Returns the landmarks of the crop's face, in fractions of the output; see ``RenderedCrop/landmarks(in:)``.
  public func landmarks(in plan: CropPlan) -> FaceLandmarks? { view?.landmarks(of: faces, in: plan) }

  /// The affine map from the animation to the output; see ``RenderedCrop/matrix``.
  public var matrix: [Double]? { view?.map(to: size).betweenCenters.rows }
}
