/// Which of the faces found a crop is for.
public enum FaceSelection: Hashable, Sendable {
  /// All of them, in one region.
  case union
  /// The one with the largest box.
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
    func first(by order: (NormalizedRect) -> Double) -> [[Int]] {
      // `min` keeps the first of equals, which has the higher score.
      faces.indices.min { order(faces[$0].box) < order(faces[$1].box) }.map { [[$0]] } ?? []
    }
    return switch self {
    case .union: [Array(faces.indices)]
    case .each: faces.indices.map { [$0] }
    case .largest: first { -$0.area }
    case .central: first { ($0.midX - 0.5) * ($0.midX - 0.5) + ($0.midY - 0.5) * ($0.midY - 0.5) }
    case .number(let number): faces.indices.contains(number - 1) ? [[number - 1]] : []
    }
  }
}
