/// A face that a detector found.
public struct Face: Hashable, Sendable {
  /// In fractions of the picture that was searched.
  public var box: NormalizedRect
  /// How sure the detector is, 0…1; comparable among faces of the same detector.
  public var score: Double

  public init(box: NormalizedRect, score: Double) {
    self.box = box
    self.score = score
  }
}

extension Face: Codable {
  private enum CodingKeys: CodingKey {
    case x, y, width, height, score
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    box = try NormalizedRect(from: decoder)
    score = try container.decode(Double.self, forKey: .score)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(box.x, forKey: .x)
    try container.encode(box.y, forKey: .y)
    try container.encode(box.width, forKey: .width)
    try container.encode(box.height, forKey: .height)
    try container.encode(score, forKey: .score)
  }
}

extension Face {
  /// The order of faces in plans and reports: by score, then size, then place, so that it never depends on threads.
  static func precedes(_ first: Face, _ second: Face) -> Bool {
    (-first.score, -first.box.area, first.box.y, first.box.x)
      < (-second.score, -second.box.area, second.box.y, second.box.x)
  }
}
