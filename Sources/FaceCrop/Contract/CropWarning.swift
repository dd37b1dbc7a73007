/// A problem with an image that did not prevent rendering.
///
/// `description` is a clause in English that can follow a file name and a colon. It names a remedy only if there is one
/// for every program. The encoded form may change between versions; ``kind`` does not.
public enum CropWarning: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The data ended early. Rows from `intactRows` on, of `rows` as stored, are missing. If `coarse`, they only lack
  /// detail.
  case truncated(intactRows: Int, rows: Int, coarse: Bool)
  /// Rows from `intactRows` on, of `rows` as stored, are damaged.
  case corrupt(intactRows: Int, rows: Int)
  /// The file has unexpected bytes that do not affect the image.
  case irregular
  /// The image is an animation, and only its first frame was used.
  case firstFrameOnly
  /// The color profile is incomplete or for another color model, and was dropped.
  case profileDropped
  /// IPTC or XMP data were unreadable or too long, so credits are lost.
  case creditsDropped
  /// The output has the size `actual` instead of `requested`, because the region is smaller and nothing is enlarged.
  case smaller(requested: PixelSize, actual: PixelSize)
  /// The wanted format cannot hold an output of this size, so that it has another format.
  case otherFormat(wanted: String, actual: String, size: PixelSize)
  /// The largest preview of a RAW file is smaller than the camera's image, and too small for an output.
  case smallPreview(preview: PixelSize, sensor: PixelSize)
  /// An output lacks the image's gain map.
  case gainMapDropped(GainMapObstacle)
  /// An output's eyes were not aligned.
  case notAligned(AlignmentObstacle)
  /// A head does not lie in its frame as the framing requests.
  case frame(FrameFault)
  /// One face was requested, and this many faces, itself included, are nearly the same size.
  case severalFaces(Int)
  /// No face was found. The best candidate, with this score, was used.
  case possibleFace(score: Double)
  /// No clear face was found, and the head of a person whose face is not visible was used.
  case hiddenFace
  /// The face is tiny and out of focus, and the output enlarges it.
  case blurredFace
  /// A lossless crop is larger than the requested region, because JPEG files are cut at iMCU borders.
  case grown(requested: PixelRect, actual: PixelRect)
  /// The hidden areas around the faces with these numbers may show no face, because their scores are low.
  case doubtfulFaces([Int])
  /// The numbers of faces that were named, but not found.
  case missingFaces([Int])
  /// The people may not be cut out of their background exactly; the confidence is below
  /// ``Background/leastConfidence``.
  case unsureCutout(confidence: Double)
  /// Faces may lie sideways or upside down, but the image was not rotated; see ``FaceSearch/upright``.
  case notTurned(TurnObstacle)

  /// An identifier that is stable across versions: `truncated`, `corrupt`, `irregular`, `first-frame`, `profile`,
  /// `credits`, `smaller`, `format`, `preview`, `gain-map`, `not-leveled`, `frame`, `several-faces`, `maybe`, `person`,
  /// `blurred-face`, `grown`, `doubtful`, `cutout`, `face-number` or `not-turned`.
  public var kind: String {
    switch self {
    case .truncated: "truncated"
    case .corrupt: "corrupt"
    case .irregular: "irregular"
    case .firstFrameOnly: "first-frame"
    case .profileDropped: "profile"
    case .creditsDropped: "credits"
    case .smaller: "smaller"
    case .otherFormat: "format"
    case .smallPreview: "preview"
    case .gainMapDropped: "gain-map"
    case .notAligned: "not-leveled"
    case .frame: "frame"
    case .severalFaces: "several-faces"
    case .possibleFace: "maybe"
    case .hiddenFace: "person"
    case .blurredFace: "blurred-face"
    case .grown: "grown"
    case .doubtfulFaces: "doubtful"
    case .missingFaces: "face-number"
    case .unsureCutout: "cutout"
    case .notTurned: "not-turned"
    }
  }

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
    case .otherFormat(let wanted, let actual, let size):
      "the output is \(actual), because \(wanted) cannot hold \(size.width)×\(size.height) pixels"
    case .smallPreview(let preview, let sensor):
      "the RAW file's largest preview is \(preview.width)×\(preview.height), smaller than the camera's "
        + "\(sensor.width)×\(sensor.height) (crop a larger JPEG of the photo)"
    case .gainMapDropped(let obstacle): "the gain map (HDR) was dropped: \(obstacle)"
    case .notAligned(.noEyes): "the eyes were not aligned: the detector found no eyes"
    case .notAligned(.leansTooFar):
      "the eyes were not aligned: the head tilts by more than 60° (rotate the image first)"
    case .notAligned(.noRoom): "the eyes were not aligned: the corners would lie outside the image"
    case .frame(let fault): "the framing could not be met: \(fault)"
    case .severalFaces(let count):
      "\(count) faces are nearly the same size; the most prominent was used"
    case .possibleFace(let score):
      "no face has a sufficient score; the best candidate was used, with a score of \(Self.hundredths(score))"
    case .hiddenFace: "no clear face was found; the head of a person was used"
    case .blurredFace: "the face is tiny and out of focus (use another photo, or choose another face)"
    case .grown(let requested, let actual):
      "the crop region grew to the borders of JPEG blocks: by \(requested.x - actual.x) pixels at the left, "
        + "\(requested.y - actual.y) at the top, \(actual.x + actual.width - requested.x - requested.width) at the right, "
        + "\(actual.y + actual.height - requested.y - requested.height) at the bottom"
    case .unsureCutout(let confidence):
      "the people may not be cut out exactly, with a confidence of \(Self.hundredths(confidence)) "
        + "(look at their edges in the output)"
    case .smaller(let requested, let actual):
      "output is \(actual.width)×\(actual.height), smaller than the requested \(requested.width)×\(requested.height)"
    case .doubtfulFaces(let numbers) where numbers.count == 1:
      "the hidden face \(numbers[0]) may be none"
    case .doubtfulFaces(let numbers):
      "\(numbers.count) of the hidden faces may be none: \(Self.list(numbers))"
    case .missingFaces(let numbers):
      "there is no face with the number \(Self.list(numbers))"
    case .notTurned(.lowScore(let score)):
      "the image was not rotated: the best face in another direction has a score of only \(Self.hundredths(score)) "
        + "(rotate the image first, if it is not upright)"
    case .notTurned(.severalTurns):
      "the image was not rotated: faces in several directions have nearly the same score "
        + "(rotate the image first, if it is not upright)"
    }
  }

  private static func list(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: ", ") }

  private static func hundredths(_ score: Double) -> String { "\((score * 100).rounded() / 100)" }
}

/// The reason why an output's eyes were not aligned.
public enum AlignmentObstacle: Hashable, Sendable, Codable {
  /// The detector found no eyes.
  case noEyes
  /// The head tilts by more than 60 degrees, where detected eyes are unreliable.
  case leansTooFar
  /// The image has no room for a rotated frame that contains the face.
  case noRoom
}

/// The part of a framing that could not be met.
public enum FrameFault: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The frame cuts hair or hat, because the image ends there (`byImageEdge`) or because its shape leaves no room.
  case crownCut(byImageEdge: Bool)
  /// The frame cuts the chin.
  case chinCut(byImageEdge: Bool)
  /// The head is off-center, because the image ends beside it (`byImageEdge`) or because of other heads.
  case offCenter(byImageEdge: Bool)
  /// The head is so many times as large as requested: 1.15 or more, or for a single head up to 0.87.
  case headSize(Double)
  /// The frame cuts so many of the requested faces, or leaves them out, because they do not fit into it together.
  case facesCut(Int)

  public var description: String {
    switch self {
    case .crownCut(let byImageEdge): byImageEdge ? "the image's edge cuts the crown" : "the crown is cut"
    case .chinCut(let byImageEdge): byImageEdge ? "the image's edge cuts the chin" : "the chin is cut"
    case .offCenter(let byImageEdge):
      byImageEdge ? "the head is off-center, because the image ends beside it" : "the head is off-center"
    case .headSize(let size) where size > 1:
      "the head is \(size) times as large as requested, because the image has no more around it"
    case .headSize(let size): "the head is only \(size) times as large as requested"
    case .facesCut(let count): "the frame cuts \(count) of the faces, or leaves them out"
    }
  }
}

extension GainMapObstacle: CustomStringConvertible {
  public var description: String {
    switch self {
    case .smallOutput: "outputs of up to \(GainMap.largeSide) pixels keep it only on request"
    case .format: "only JPEG outputs can have one"
    case .background: "the output has a new background, which the map does not describe"
    case .shape: "the output is round, rotated, or larger than the image"
    case .unusable: "the map is damaged, or its shape differs from the image"
    case .hiddenFaces: "it could show the hidden faces"
    }
  }
}
