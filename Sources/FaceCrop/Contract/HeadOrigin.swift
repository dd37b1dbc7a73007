/// The source of the place that a crop shows.
public enum HeadOrigin: String, Hashable, Sendable, Codable {
  /// A face, or a possible one.
  case face
  /// The shape of a person whose face is not visible; see ``NoFacePolicy/person``.
  case person
  /// The center of the image.
  case center
}

extension CropPlan {
  /// The source of the first crop's place. Nil without a crop, and for one without a head that is not centered.
  public var origin: HeadOrigin? {
    guard let crop = crops.first else { return nil }
    if !crop.faces.isEmpty { return .face }
    if let possibleFace { return possibleFace.origin }
    let (x, y) = (crop.region.midX - 0.5, crop.region.midY - 0.5)
    return max(abs(x) * Double(source.width), abs(y) * Double(source.height)) <= 1 ? .center : nil
  }

  /// The warning about ``possibleFace``; nil without one.
  public var possibleFaceWarning: CropWarning? {
    possibleFace.map { $0.origin == .person ? .hiddenFace : .possibleFace(score: $0.score) }
  }
}

extension Detection {
  /// The source of the place that an avatar shows, if the search was for people too (``NoFacePolicy/person``).
  public var origin: HeadOrigin { possibleFaces.first?.origin ?? (faces.isEmpty ? .center : .face) }
}

extension Face {
  /// The entry of ``detectors`` in a face that a person's shape gave.
  static let person = "person"

  fileprivate var origin: HeadOrigin { detectors == [Self.person] ? .person : .face }
}
