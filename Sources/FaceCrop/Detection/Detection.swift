/// What a look at a picture found.
public struct Detection: Hashable, Sendable {
  /// The picture's size as displayed.
  public var size: PixelSize
  /// How the stored picture is turned for display.
  public var orientation: Orientation
  /// The name of the detector that looked.
  public var detector: String
  /// Highest score first.
  public var faces: [Face]
  /// What may be a face in a picture without one, highest score first; empty when there is one, or it was not asked for
  /// (``NoFacePolicy/maybe``).
  public var possibleFaces: [Face] = []
  /// What draws the eye in a picture without a face; nil when there is one, or it was not asked for
  /// (``NoFacePolicy/attention``).
  public var attention: NormalizedPoint?
  /// What was wrong with the picture and did not keep it from being searched.
  public var warnings: [CropWarning]
  /// How the pixels that were searched were reached.
  public var path: DecodePath
}
