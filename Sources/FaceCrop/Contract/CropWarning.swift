/// A fault of an image that did not keep it from being rendered.
///
/// `description` is a clause for people, which stands by itself and may follow a file's name and a colon.
public enum CropWarning: Hashable, Sendable {
  /// The data ended early. Rows from `intactRows` on, as stored, are missing or, if `coarse`, lack detail.
  case truncated(intactRows: Int, rows: Int, coarse: Bool)
  /// Rows from `intactRows` on, as stored, are damaged.
  case corrupt(intactRows: Int, rows: Int)
  /// Bytes that do not belong where they are, without effect on the picture.
  case irregular
  /// The picture is an animation, of which the first frame was taken.
  case firstFrameOnly
  /// The color profile is incomplete or is for other colors, and was dropped.
  case profileDropped
  /// IPTC or XMP data cannot be read, or say too much, so that credits are lost.
  case creditsDropped
  /// The region is smaller than the output that was asked for, and nothing was enlarged.
  case smaller(asked: PixelSize, made: PixelSize)
  /// The picture is a RAW file's largest preview, which is smaller than what its camera took, and too small for an output.
  case smallPreview(preview: PixelSize, sensor: PixelSize)
  /// The picture's gain map is not in an output.
  case gainMapDropped(GainMapObstacle)
  /// An output was not turned level.
  case notLeveled(LevelingObstacle)
  /// A head does not lie in its frame as the framing asks for.
  case frame(FrameFault)
  /// The largest face was asked for, and so many are nearly as large as it, itself included.
  case severalFaces(Int)
  /// No face was found, and the place of what may be one was taken; with its score.
  case possibleFace(score: Double)
  /// A lossless crop is larger than the region that was asked for: JPEG files are cut at the borders of iMCUs.
  case grown(asked: PixelRect, made: PixelRect)
}

/// What keeps an output from being turned until the eyes are level.
public enum LevelingObstacle: Hashable, Sendable {
  /// The detector does not say where the eyes are.
  case noEyes
  /// The head leans by more than 60 degrees, where the eyes that a detector finds are a guess.
  case leansTooFar
  /// There is no place in the picture for a turned frame that holds the face.
  case noRoom
}

/// What had to give in a frame.
public enum FrameFault: Hashable, Sendable {
  /// Hair or hat is cut; by the picture itself, or because its shape leaves no room.
  case crownCut(byPicture: Bool)
  /// The chin is cut.
  case chinCut(byPicture: Bool)
  /// The head is off the middle; because the picture ends beside it, or for the sake of others.
  case offCenter(byPicture: Bool)
  /// The head is larger than ``Framing/largestFaceRatio`` lets it be.
  case headTooLarge
}

extension CropWarning {
  /// A word that stays the same over versions: `truncated`, `corrupt`, `irregular`, `first-frame`, `profile`, `credits`, `smaller`,
  /// `preview`, `gain-map`, `not-leveled`, `frame`, `several-faces`, `maybe` or `grown`.
  public var kind: String {
    switch self {
    case .truncated: "truncated"
    case .corrupt: "corrupt"
    case .irregular: "irregular"
    case .firstFrameOnly: "first-frame"
    case .profileDropped: "profile"
    case .creditsDropped: "credits"
    case .smaller: "smaller"
    case .smallPreview: "preview"
    case .gainMapDropped: "gain-map"
    case .notLeveled: "not-leveled"
    case .frame: "frame"
    case .severalFaces: "several-faces"
    case .possibleFace: "maybe"
    case .grown: "grown"
    }
  }
}

extension CropWarning: CustomStringConvertible {
  public var description: String {
    switch self {
    case .truncated(let intactRows, let rows, _) where intactRows == rows:
      "the end marker is missing; all rows can be read"
    case .truncated(let intactRows, let rows, let coarse):
      "\(FaceCropError.truncated(intactRows: intactRows, rows: rows, coarse: coarse))"
    case .corrupt(let intactRows, let rows):
      "the image is damaged below row \(intactRows) of \(rows)"
    case .irregular:
      "the file has unexpected bytes; the image may be damaged"
    case .firstFrameOnly:
      "the image is an animation; only its first frame was used"
    case .profileDropped:
      "the color profile cannot be used; the output has none"
    case .creditsDropped:
      "IPTC or XMP data cannot be read or are too long; credits may be lost"
    case .smallPreview(let preview, let sensor):
      "the RAW file's largest preview is \(preview.width)×\(preview.height), smaller than the camera's "
        + "\(sensor.width)×\(sensor.height) (crop a larger JPEG of the photo)"
    case .gainMapDropped(let obstacle): "the gain map (HDR) was dropped: \(obstacle)"
    case .notLeveled(.noEyes): "the eyes were not aligned: the detector found no eyes"
    case .notLeveled(.leansTooFar):
      "the eyes were not aligned: the head tilts by more than 60° (rotate the image first)"
    case .notLeveled(.noRoom): "the eyes were not aligned: the corners would lie outside the image"
    case .frame(let fault): "the framing could not be met: \(fault)"
    case .severalFaces(let count):
      "\(count) faces are nearly the same size; the largest was used"
    case .possibleFace(let score):
      "no face has a sufficient score; the best candidate was used, with a score of \(Self.hundredths(score))"
    case .grown(let asked, let made):
      "the crop region grew to the borders of JPEG blocks: by \(asked.x - made.x) pixels at the left, "
        + "\(asked.y - made.y) at the top, \(made.x + made.width - asked.x - asked.width) at the right, "
        + "\(made.y + made.height - asked.y - asked.height) at the bottom"
    case .smaller(let asked, let made):
      "output is \(made.width)×\(made.height), smaller than the requested \(asked.width)×\(asked.height)"
    }
  }
}

extension CropWarning {
  private static func hundredths(_ score: Double) -> String { "\((score * 100).rounded() / 100)" }
}

extension FrameFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .crownCut(let byPicture): byPicture ? "the image's edge cuts the crown" : "the crown is cut"
    case .chinCut(let byPicture): byPicture ? "the image's edge cuts the chin" : "the chin is cut"
    case .offCenter(let byPicture):
      byPicture ? "the head is off-center, because the image ends beside it" : "the head is off-center"
    case .headTooLarge: "the head is larger than requested, because the image has no more around it"
    }
  }
}

extension GainMapObstacle: CustomStringConvertible {
  public var description: String {
    switch self {
    case .smallOutput: "outputs of up to \(GainMap.largeSide) pixels keep it only on request"
    case .format: "only JPEG outputs can have one"
    case .shape: "the output is round, rotated, or larger than the image"
    case .unusable: "the map is damaged, or its shape differs from the image"
    }
  }
}
