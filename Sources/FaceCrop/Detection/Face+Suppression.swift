extension [Face] {
  /// Returns the best face of each group that overlaps by more than `limit`, best first (non-maximum suppression).
  func suppressed(above limit: Double, by overlap: (NormalizedRect, NormalizedRect) -> Double) -> [Face] {
    var kept: [Face] = []
    for face in sorted(by: Face.precedes) where kept.allSatisfy({ overlap(face.box, $0.box) <= limit }) {
      kept.append(face)
    }
    return kept
  }

  /// Returns the faces that share with one at most 0.3 of both areas together.
  func without(_ face: Face) -> [Face] { filter { $0.box.intersectionOverUnion(face.box) <= 0.3 } }
}

extension Face {
  /// The face with its box clipped to the image.
  var clamped: Face {
    var face = self
    face.box = box.clamped()
    return face
  }
}
