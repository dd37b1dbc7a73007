/// The purpose of a search for faces.
public enum DetectionPurpose: Hashable, Sendable {
  /// A search for all faces.
  case allFaces
  /// A search for boxes with scores below those of faces, after no face was found. A detector may return none.
  case possibleFaces
  /// A search for exact landmarks of a known face, to align the eyes in its output.
  case landmarks(of: Face)
}
