/// Which of the faces found a crop is for.
public enum FaceSelection: Hashable, Sendable {
  /// All of them, in one region.
  case union
  /// The one with the largest box, of those that the detector is sure of (a score of at least 0.75) where there are any: the
  /// largest thing that may be a face is now and then a guitar.
  case largest
  /// The one whose center is nearest to the picture's.
  case central
  /// Each by itself, in order of score: one region a face.
  case each
  /// The n-th in order of score, counted from 1.
  case number(Int)

  /// The score of a face that a detector is sure of.
  static let sureScore = 0.75

  /// Groups of indices into `faces`, one for each region to make. Empty when there is no such face.
  func groups(of faces: [Face]) -> [[Int]] {
    guard !faces.isEmpty else { return [] }
    func first(of indices: [Int], by order: (NormalizedRect) -> Double) -> [[Int]] {
      // `min` keeps the first of equals, which has the higher score.
      indices.min { order(faces[$0].box) < order(faces[$1].box) }.map { [[$0]] } ?? []
    }
    let all = Array(faces.indices)
    let sure = all.filter { faces[$0].score >= Self.sureScore }
    return switch self {
    case .union: [all]
    case .each: faces.indices.map { [$0] }
    case .largest: first(of: sure.isEmpty ? all : sure) { -$0.area }
    case .central: first(of: all) { ($0.midX - 0.5) * ($0.midX - 0.5) + ($0.midY - 0.5) * ($0.midY - 0.5) }
    case .number(let number): faces.indices.contains(number - 1) ? [[number - 1]] : []
    }
  }
}
