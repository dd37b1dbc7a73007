/// Something that was wrong with a picture and did not keep it from being rendered.
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
      "ends without its end marker; all rows can be read"
    case .truncated(let intactRows, let rows, let coarse):
      "\(FaceCropError.truncated(intactRows: intactRows, rows: rows, coarse: coarse))"
    case .corrupt(let intactRows, let rows):
      "is damaged below row \(intactRows) of \(rows)"
    case .irregular:
      "has bytes where none belong; the picture may be damaged"
    case .firstFrameOnly:
      "is an animation, of which the first frame was taken"
    case .profileDropped:
      "has a color profile that cannot be used; the output has none"
    case .creditsDropped:
      "has IPTC or XMP data that cannot be read, or are too long; what they say of its maker may be lost"
    case .smallPreview(let preview, let sensor):
      "is a RAW file whose largest preview has \(preview.width)x\(preview.height) of the camera's \(sensor.width)x\(sensor.height) "
        + "pixels; crop a JPEG of it that is larger"
    case .gainMapDropped(let obstacle): "has a gain map (HDR), which the output lacks: \(obstacle)"
    case .notLeveled(.noEyes): "was not turned level: the detector found no eyes"
    case .notLeveled(.leansTooFar):
      "was not turned level: the head leans by more than 60 degrees; turn the picture first"
    case .notLeveled(.noRoom): "was not turned level: the corners would lie outside of the picture"
    case .frame(let fault): "could not be framed as asked: \(fault)"
    case .severalFaces(let count):
      "has \(count) faces that are nearly equally large; the largest was taken"
    case .possibleFace(let score):
      "has no face that the detector is sure of; what may be one was taken (score \(Self.hundredths(score)))"
    case .grown(let asked, let made):
      "was cut at the borders of JPEG's blocks: the region grew by \(asked.x - made.x) pixels to the left, "
        + "\(asked.y - made.y) above, \(made.x + made.width - asked.x - asked.width) to the right, "
        + "\(made.y + made.height - asked.y - asked.height) below"
    case .smaller(let asked, let made):
      "is too small for \(asked.width)x\(asked.height) there; the output is \(made.width)x\(made.height)"
    }
  }
}

extension CropWarning {
  private static func hundredths(_ score: Double) -> String { "\((score * 100).rounded() / 100)" }
}

extension FrameFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .crownCut(let byPicture): byPicture ? "the crown is cut by the picture's edge" : "the crown is cut"
    case .chinCut(let byPicture): byPicture ? "the chin is cut by the picture's edge" : "the chin is cut"
    case .offCenter(let byPicture):
      byPicture ? "the head is off the middle, because the picture ends beside it" : "the head is off the middle"
    case .headTooLarge: "the head is larger than the framing asks for, because the picture has no more around it"
    }
  }
}

extension GainMapObstacle: CustomStringConvertible {
  public var description: String {
    switch self {
    case .smallOutput: "outputs of up to \(GainMap.largeSide) pixels keep it only where that is asked for"
    case .format: "only JPEG has one"
    case .shape: "the output is round, turned, or larger than the picture"
    case .unusable: "the map is damaged, or of another shape than the picture"
    }
  }
}
