/// The result of a detection pass.
public struct Detection: Hashable, Sendable {
  /// The image's size as displayed and rotated.
  public var size: PixelSize
  /// The orientation for display, ``rotation`` included.
  public var orientation: Orientation
  /// The clockwise rotation, after the image's own orientation, that makes the faces upright; see
  /// ``FaceSearch/upright``. All coordinates are those in the rotated image.
  public var rotation = QuarterTurn.none
  /// The frame of an animation, from 0, in which the faces lie. It is 0 for other images and for
  /// ``AnimationPolicy/keep``.
  public var animationFrame = 0
  /// The name of the detector.
  public var detector: String
  /// The faces, highest score first.
  public var faces: [Face]
  /// The index in ``faces`` of the person that every request for ``FaceSelection/prominent`` takes; nil without a face.
  public var chosen: Int?
  /// Whether the search for faces was not cut short. A request for one person may end it once that person is certain.
  public var facesAreComplete = true
  /// The candidates in an image without a face, best first. Empty with a face, or if not requested with
  /// ``NoFacePolicy/bestGuess`` or ``NoFacePolicy/person``. The latter can add one beside faces, if the chosen one would
  /// be tiny and out of focus; ``chosen`` is nil then.
  public var possibleFaces: [Face] = []
  /// The most salient point of an image without a face. Nil with a face, or if not requested with
  /// ``NoFacePolicy/attention``.
  public var attention: NormalizedPoint?
  /// The faces that photo managers marked in the image's metadata. Empty if they were not read.
  public var regions: [FaceRegion] = []
  /// The problems with the image that did not prevent the search.
  public var warnings: [CropWarning]
  /// The reason why the image was not rotated; nil without a doubt. ``warnings`` has it too.
  var turnObstacle: TurnObstacle?
  /// The number of faces before those that only the search for hidden faces finds; nil for all.
  var firstFaces: Int?
  /// The method that decoded the overview.
  public var path: DecodePath

  /// The warning about a doubtful rotation.
  var turnWarnings: [CropWarning] { turnObstacle.map { [.notTurned($0)] } ?? [] }
}

/// A detection, and a copy of the image with boxes, numbers (``FaceSelection/number(_:)``), and landmarks drawn into it.
public struct DetectionPreview: Sendable {
  /// The detection.
  public let detection: Detection
  /// The copy with the drawing, in sRGB, with up to 1,280 pixels on the longer side.
  public let picture: RenderedCrop
}
