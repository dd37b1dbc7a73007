internal import Glibc

/// A face that a detector found.
public struct Face: Hashable, Sendable {
  /// The face box, in fractions of the picture that was searched.
  public var box: NormalizedRect
  /// How sure the detector is, 0…1; comparable among faces of the same detector.
  public var score: Double
  /// Where eyes, nose and mouth are; nil when the detector does not say.
  public var landmarks: FaceLandmarks?
  /// The names of the detectors that found it, when a detector is made of several; in alphabetical order.
  public var detectors: [String]
  /// Where the head ends, hair and hat included; nil where it was not looked for, or the face is too small to say.
  public var head: Head?
  /// How sharp it is in the small picture that was searched, 0…1: detail at 64 pixels of the face box, whatever the contrast. A face
  /// that has fewer pixels there counts as soft. Comparable among all pictures; nil where it was not measured.
  public var sharpness: Double?

  /// What a detector found.
  public init(
    box: NormalizedRect, score: Double, landmarks: FaceLandmarks? = nil, detectors: [String] = [], head: Head? = nil,
    sharpness: Double? = nil
  ) {
    self.box = box
    self.score = score
    self.landmarks = landmarks
    self.detectors = detectors
    self.head = head
    self.sharpness = sharpness
  }

  /// Whether the box lies in the picture and all numbers are finite.
  var isValid: Bool {
    box.isValid && score.isFinite && (landmarks?.points.allSatisfy(\.isFinite) ?? true) && (head?.isValid ?? true)
      && (0...1).contains(sharpness ?? 0)
  }
}

/// Five places in a face; right and left are the person's.
public struct FaceLandmarks: Hashable, Sendable {
  /// The right one of the person.
  public var rightEye: NormalizedPoint
  /// The left one of the person, which is the right one in the picture.
  public var leftEye: NormalizedPoint
  /// The tip.
  public var nose: NormalizedPoint
  /// The corner on the person's right.
  public var mouthRight: NormalizedPoint
  /// The corner on the person's left.
  public var mouthLeft: NormalizedPoint

  /// The five places, in fractions of the picture.
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

  /// Right eye, left eye, nose, right and left corner of the mouth.
  public var points: [NormalizedPoint] { [rightEye, leftEye, nose, mouthRight, mouthLeft] }
}

/// The places are five pairs in JSON, in the order of ``points``.
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
    case x, y, width, height, score, landmarks, detectors, head, sharpness
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    box = try NormalizedRect(from: decoder)
    score = try container.decode(Double.self, forKey: .score)
    landmarks = try container.decodeIfPresent(FaceLandmarks.self, forKey: .landmarks)
    detectors = try container.decodeIfPresent([String].self, forKey: .detectors) ?? []
    head = try container.decodeIfPresent(Head.self, forKey: .head)
    sharpness = try container.decodeIfPresent(Double.self, forKey: .sharpness)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(box.x, forKey: .x)
    try container.encode(box.y, forKey: .y)
    try container.encode(box.width, forKey: .width)
    try container.encode(box.height, forKey: .height)
    try container.encode(score, forKey: .score)
    try container.encodeIfPresent(landmarks, forKey: .landmarks)
    if !detectors.isEmpty { try container.encode(detectors, forKey: .detectors) }
    try container.encodeIfPresent(head, forKey: .head)
    try container.encodeIfPresent(sharpness, forKey: .sharpness)
  }
}

extension Face {
  /// The order of faces in plans and reports: by score, then size, then place, so that it never depends on threads.
  static func precedes(_ first: Face, _ second: Face) -> Bool {
    (-first.score, -first.box.area, first.box.y, first.box.x)
      < (-second.score, -second.box.area, second.box.y, second.box.x)
  }
}

extension Face {
  /// How far the line of the eyes leans clockwise, in degrees; nil where the detector does not say where they are, or they are one.
  ///
  /// - Parameter picture: the size of the picture that was searched.
  func lean(in picture: PixelSize) -> Double? {
    guard let landmarks else { return nil }
    // The person's left eye is to the right.
    let across = (landmarks.leftEye.x - landmarks.rightEye.x) * Double(picture.width)
    let down = (landmarks.leftEye.y - landmarks.rightEye.y) * Double(picture.height)
    let lean = atan2(down, across) * 180 / .pi
    return across == 0 && down == 0 || !lean.isFinite ? nil : lean
  }
}
