/// What a search for faces is for.
public enum DetectionPurpose: Hashable, Sendable {
  /// All faces count, or one does whose box has to be as exact as it can be.
  case allFaces
  /// No more than the largest face is wanted, and its frame leaves it room: small faces may be left out while there are others, and
  /// boxes be a little less exact.
  case largestFace
  /// No face was found, and the place of what may be one will do: boxes with scores below those of faces. A detector may have none.
  case possibleFaces
  /// The face was found before, and its output's eyes are to be level: the same face with its landmarks as exact as can be.
  case landmarks(of: Face)
}

extension Composition {
  /// What a search is for whose faces are composed so.
  func purpose(of search: FaceSearch) -> DetectionPurpose {
    search.faces == .largest && !needsExactFaces ? .largestFace : .allFaces
  }
}
