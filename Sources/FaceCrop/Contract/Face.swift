internal import Glibc

/// A detected face.
///
/// The JSON form has the numbers of the box beside the other properties: `x`, `y`, `width`, `height`, `score`, and if
/// they are known `landmarks`, `mesh`, `detectors`, `head`, `sharpness` and `name`. The landmarks are five pairs
/// `[x, y]`, and the mesh has 468. A head has `crown`, `skull`, `chin`, `left` and `right`, each as
/// `{"place": 0.1, "confidence": 0.9}`, where `place` is ``Head/Edge/position``, and perhaps an `outline` of pairs.
public struct Face: Hashable, Sendable {
  /// The face box, in fractions of the searched image.
  public var box: NormalizedRect
  /// The detector's score, 0…1. It is comparable only among faces of the same detector.
  public var score: Double
  /// The positions of eyes, nose, and mouth; nil if the detector has none.
  public var landmarks: FaceLandmarks?
  /// The 468 points of MediaPipe's face mesh, in fractions of the searched image. Nil unless
  /// ``FaceSearch/findsMeshes`` asks for it and the mesh sees a face.
  public var mesh: [NormalizedPoint]?
  /// The names of the detectors that found the face, in alphabetical order, if a detector combines several.
  public var detectors: [String]
  /// The limits of the head, hair and hat included. Nil if they were not searched, or the face is too small.
  public var head: Head?
  /// The sharpness in the overview, 0…1: detail at 64 pixels of the face box, independent of contrast. Faces with fewer
  /// pixels there count as soft. It is comparable among all images. Nil if it was not measured.
  public var sharpness: Double?
  /// The person's name in the image's metadata (``FaceRegion``); nil if it is unknown or was not read.
  public var name: String?

  /// Creates a face.
  public init(
    box: NormalizedRect, score: Double, landmarks: FaceLandmarks? = nil, detectors: [String] = [], head: Head? = nil,
    sharpness: Double? = nil, name: String? = nil
  ) {
    self.box = box
    self.score = score
    self.landmarks = landmarks
    self.detectors = detectors
    self.head = head
    self.sharpness = sharpness
    self.name = name
  }

  /// Whether the box lies in the image and all numbers are finite.
  var isValid: Bool {
    box.isValid && score.isFinite && (landmarks?.points.allSatisfy(\.isFinite) ?? true)
      && (mesh?.allSatisfy(\.isFinite) ?? true) && (head?.isValid ?? true) && (0...1).contains(sharpness ?? 0)
  }
}

/// Five points in a face. Right and left are the person's.
public struct FaceLandmarks: Hashable, Sendable {
  /// The person's right eye.
  public var rightEye: NormalizedPoint
  /// The person's left eye, which is on the right in the image.
  public var leftEye: NormalizedPoint
  /// The tip of the nose.
  public var nose: NormalizedPoint
  /// The corner of the mouth on the person's right.
  public var mouthRight: NormalizedPoint
  /// The corner of the mouth on the person's left.
  public var mouthLeft: NormalizedPoint

  /// Creates landmarks from five points, in fractions of the image.
  public init(
    rightEye: NormalizedPoint, leftEye: NormalizedPoint, nose: NormalizedPoint, mouthRight: NormalizedPoint,
    mouthLeft: NormalizedPoint
  ) {
    self.rightEye = rightEye
    self.leftEye = leftEye
    self.nose = nose
    self.mouthRight = mouthRight
    self.mouthLeft = mouthLeft
  }

  /// Right eye, left eye, nose, and the right and left corners of the mouth.
  public var points: [NormalizedPoint] { [rightEye, leftEye, nose, mouthRight, mouthLeft] }

  /// Returns the landmarks with each point changed by `change`.
  func map(_ change: (NormalizedPoint) -> NormalizedPoint) -> FaceLandmarks {
    FaceLandmarks(
      rightEye: change(rightEye), leftEye: change(leftEye), nose: change(nose), mouthRight: change(mouthRight),
      mouthLeft: change(mouthLeft))
  }
}

/// The JSON form is five pairs of numbers, in the order of ``points``.
extension FaceLandmarks: Codable {
  public init(from decoder: any Decoder) throws {
    let points = try [NormalizedPoint](from: decoder)
    guard points.count == 5 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a face must have five landmarks"))
    }
    self.init(
      rightEye: points[0], leftEye: points[1], nose: points[2], mouthRight: points[3], mouthLeft: points[4])
  }

  public func encode(to encoder: any Encoder) throws {
    try points.encode(to: encoder)
  }
}

extension Face: Codable {
  private enum CodingKeys: CodingKey {
    case score, landmarks, mesh, detectors, head, sharpness, name
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    box = try NormalizedRect(from: decoder)
    score = try container.decode(Double.self, forKey: .score)
    landmarks = try container.decodeIfPresent(FaceLandmarks.self, forKey: .landmarks)
    mesh = try container.decodeIfPresent([NormalizedPoint].self, forKey: .mesh)
    detectors = try container.decodeIfPresent([String].self, forKey: .detectors) ?? []
    head = try container.decodeIfPresent(Head.self, forKey: .head)
    sharpness = try container.decodeIfPresent(Double.self, forKey: .sharpness)
    name = try container.decodeIfPresent(String.self, forKey: .name)
  }

  public func encode(to encoder: any Encoder) throws {
    try box.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(score, forKey: .score)
    try container.encodeIfPresent(landmarks, forKey: .landmarks)
    try container.encodeIfPresent(mesh, forKey: .mesh)
    if !detectors.isEmpty { try container.encode(detectors, forKey: .detectors) }
    try container.encodeIfPresent(head, forKey: .head)
    try container.encodeIfPresent(sharpness, forKey: .sharpness)
    try container.encodeIfPresent(name, forKey: .name)
  }
}

extension Face {
  /// The size: the square root of the box's area, in sides of the image.
  var side: Double { box.area.squareRoot() }

  /// The parts of a head around the box: above and below it, in its heights, and on either side, in its widths.
  private static let (above, below, beside) = (0.27, 0.25, 0.3)

  /// The size, times the square of the head's share in the image, or ``FaceSelection/lessFactor`` if that is more.
  var wholeSide: Double {
    let head = NormalizedRect(
      x: box.x - Self.beside * box.width, y: box.y - Self.above * box.height,
      width: (1 + 2 * Self.beside) * box.width, height: (1 + Self.above + Self.below) * box.height)
    let share = head.clamped().area / head.area
    return side * max(share * share, FaceSelection.lessFactor)
  }

  /// Whether the face is seen from the side, so that most of its head lies beside its box: the nose is far from the
  /// middle of the eyes.
  var isProfile: Bool {
    guard let landmarks else { return false }
    let (right, left) = (landmarks.rightEye.x, landmarks.leftEye.x)
    return abs(landmarks.nose.x - (right + left) / 2) > 0.8 * max(abs(left - right), 0.2 * box.width)
  }

  /// The height in shorter sides of the image, and the sharpness, below which a face is tiny and out of focus.
  private static let (tiny, blurred) = (0.06, 0.3)

  /// Returns whether the face is so small and out of focus that an output of it shows little.
  func isBlurred(in picture: PixelSize) -> Bool {
    let height = box.height * Double(picture.height)
    return height < Self.tiny * Double(picture.shortSide) && sharpness ?? 1 < Self.blurred
  }

  /// Orders faces in plans and reports by score, then size, then position, so that the order never depends on threads.
  static func precedes(_ first: Face, _ second: Face) -> Bool {
    (-first.score, -first.box.area, first.box.y, first.box.x)
      < (-second.score, -second.box.area, second.box.y, second.box.x)
  }

  /// Returns the clockwise tilt of the line through the eyes, in degrees, for an image of this size in pixels. Nil
  /// without landmarks, or if both eyes are one point.
  func lean(in picture: PixelSize) -> Double? {
    guard let landmarks else { return nil }
    // The person's left eye is to the right.
    let across = (landmarks.leftEye.x - landmarks.rightEye.x) * Double(picture.width)
    let down = (landmarks.leftEye.y - landmarks.rightEye.y) * Double(picture.height)
    let lean = atan2(down, across) * 180 / .pi
    return across == 0 && down == 0 || !lean.isFinite ? nil : lean
  }

  /// Returns the rotation of the image that makes the face upright, by its eyes.
  func uprightTurn(in picture: PixelSize) -> QuarterTurn {
    let quarters = Int(((lean(in: picture) ?? 0) / 90).rounded())
    return QuarterTurn(rawValue: (4 - quarters) % 4 * 90) ?? .none
  }

  /// Returns the face of a rotated image in the image before the rotation. A head stays as it is.
  func before(_ turn: QuarterTurn) -> Face {
    let orientation = turn.orientation
    var face = self
    face.box = orientation.stored(box)
    face.landmarks = landmarks?.map { orientation.stored($0) }
    face.mesh = mesh?.map { orientation.stored($0) }
    return face
  }
}
