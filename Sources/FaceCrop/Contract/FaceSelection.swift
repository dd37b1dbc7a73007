/// Which of the faces found a crop is for.
public enum FaceSelection: Hashable, Sendable {
  /// All of them, in one region.
  case union
  /// The one with the largest box, of those that the detector is sure of (a score of at least 0.75) where there are any: the
  /// largest thing that may be a face is now and then a guitar.
  case largest
  /// The one with the highest ``Face/sharpness``, of those that the detector is sure of where there are any.
  case sharpest
  /// The one whose center is nearest to the picture's.
  case central
  /// Each by itself, in order of score: one region a face.
  case each
  /// The n-th in order of score, counted from 1.
  case number(Int)

  /// The score of a face that a detector is sure of.
  static let sureScore = 0.75

  /// Groups of indices into `faces`, one for each region to make. Empty when there is no such face.
  ///
  /// - Parameter isLargeEnough: which of them count.
  func groups(of faces: [Face], where isLargeEnough: (Face) -> Bool = { _ in true }) -> [[Int]] {
    let all = faces.indices.filter { isLargeEnough(faces[$0]) }
    guard !all.isEmpty else { return [] }
    func first(of indices: [Int], by order: (Face) -> Double) -> [[Int]] {
      // `min` keeps the first of equals, which has the higher score.
      indices.min { order(faces[$0]) < order(faces[$1]) }.map { [[$0]] } ?? []
    }
    let sure = all.filter { faces[$0].score >= Self.sureScore }
    let surest = sure.isEmpty ? all : sure
    func offCenter(_ box: NormalizedRect) -> Double {
      (box.midX - 0.5) * (box.midX - 0.5) + (box.midY - 0.5) * (box.midY - 0.5)
    }
    return switch self {
    case .union: [all]
    case .each: all.map { [$0] }
    case .largest: first(of: surest) { -$0.box.area }
    case .sharpest: first(of: surest) { -($0.sharpness ?? 0) }
    case .central: first(of: all) { offCenter($0.box) }
    case .number(let number): all.contains(number - 1) ? [[number - 1]] : []
    }
  }
}
