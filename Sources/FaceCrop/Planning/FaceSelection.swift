/// Which of the faces found a crop is for.
public enum FaceSelection: Hashable, Sendable {
  /// All of them, in one region.
  case union
  /// The one with the largest box, weighed by how sure the detector is: an area counts as many times as a face is likelier
  /// than none, so that a blurred passer-by or a guitar does not win over a face that is a little smaller.
  case largest
  /// The one whose center is nearest to the picture's.
  case central
  /// Each by itself, in order of score: one region a face.
  case each
  /// The n-th in order of score, counted from 1.
  case number(Int)

  /// Groups of indices into `faces`, one for each region to make. Empty when there is no such face.
  func groups(of faces: [Face]) -> [[Int]] {
    guard !faces.isEmpty else { return [] }
    func first(by order: (Face) -> Double) -> [[Int]] {
      // `min` keeps the first of equals, which has the higher score.
      faces.indices.min { order(faces[$0]) < order(faces[$1]) }.map { [[$0]] } ?? []
    }
    return switch self {
    case .union: [Array(faces.indices)]
    case .each: faces.indices.map { [$0] }
    case .largest: first { -$0.box.area * $0.odds }
    case .central: first { $0.box.squaredDistanceToCenter }
    case .number(let number): faces.indices.contains(number - 1) ? [[number - 1]] : []
    }
  }
}

extension Face {
  /// How many times likelier it is a face than not; no more than 99 times, where scores say nothing any more.
  fileprivate var odds: Double {
    let probability = min(max(score, 0.01), 0.99)
    return probability / (1 - probability)
  }
}

extension NormalizedRect {
  fileprivate var squaredDistanceToCenter: Double { (midX - 0.5) * (midX - 0.5) + (midY - 0.5) * (midY - 0.5) }
}
