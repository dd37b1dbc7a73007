/// What a search for faces is for.
public enum DetectionPurpose: Hashable, Sendable {
  /// All faces count.
  case allFaces
  /// No face was found, and the place of what may be one will do: boxes with scores below those of faces. A detector may have none.
  case possibleFaces
  /// The face was found before, and its output's eyes are to be level: the same face with its landmarks as exact as can be.
  case landmarks(of: Face)
}
