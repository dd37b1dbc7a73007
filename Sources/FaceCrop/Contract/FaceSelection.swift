/// Which of the faces found a crop is for.
public enum FaceSelection: Hashable, Sendable {
  /// All of them, in one region.
  case union
  /// The most prominent one: the one with the largest box, of those that the detector is sure of (a score of at least 0.75) where there are
  /// any. A box counts 0.65 where the face is out of focus beside another one, and 0.65 where it is much less certain. Of
  /// faces that are as good as equal, the one nearest to the picture's center.
  case largest
  /// The one with the highest ``Face/sharpness``, of those that the detector is sure of where there are any.
  case sharpest
  /// The one whose center is nearest to the picture's.
  case central
  /// Each by itself, in the order of ``FaceSearch/order``: one region a face.
  case each
  /// The n-th in the order of ``FaceSearch/order``, counted from 1.
  case number(Int)

  /// The score of a face that a detector is sure of.
  static let sureScore = 0.75

  /// The part of the surest face's score, and of the sharpest one's sharpness, below which a box counts for ``lessFactor`` of its height.
  private static let (lessCertain, lessSharp, lessFactor) = (0.88, 0.6, 0.65)
  /// The part of the most prominent face's prominence from which on another one is as good as equal.
  private static let equal = 0.998

  /// Returns how large a face counts: the root of its box's area, times 0.65 where it is out of focus (its sharpness is below 0.6 of the
  /// sharpest one's), and times 0.65 where it is much less certain (its score is below 0.88 of the highest).
  ///
  /// - Parameter others: the faces that it is chosen from, itself among them.
  static func prominence(of face: Face, among others: [Face]) -> Double {
    let (sharpest, surest) = (others.compactMap(\.sharpness).max() ?? 0, others.map(\.score).max() ?? 0)
    var side = face.box.area.squareRoot()
    if let sharpness = face.sharpness, sharpness < lessSharp * sharpest { side *= lessFactor }
    if face.score < lessCertain * surest { side *= lessFactor }
    return side
  }

  private func mostProminent(of indices: [Int], in faces: [Face], offCenter: (NormalizedRect) -> Double) -> Int {
    let others = indices.map { faces[$0] }
    let prominences = others.map { Self.prominence(of: $0, among: others) }
    let most = prominences.max() ?? 0
    let equals = indices.indices.filter { prominences[$0] >= Self.equal * most }
    // `min` keeps the first of equals, which has the higher score.
    return indices[equals.min { offCenter(others[$0].box) < offCenter(others[$1].box) }!]
  }

  /// Groups of indices into `faces`, one for each region to make. Empty when there is no such face.
  ///
  /// - Parameters:
  ///   - faces: highest score first.
  ///   - order: how they are numbered.
  ///   - isLargeEnough: which of them count.
  func groups(
    of faces: [Face], order: FaceOrder = .confidence, where isLargeEnough: (Face) -> Bool = { _ in true }
  ) -> [[Int]] {
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
    case .each: order.indices(of: faces).filter(all.contains).map { [$0] }
    case .largest: [[mostProminent(of: surest, in: faces, offCenter: offCenter)]]
    case .sharpest: first(of: surest) { -($0.sharpness ?? 0) }
    case .central: first(of: all) { offCenter($0.box) }
    case .number(let number):
      order.indices(of: faces).dropFirst(number - 1).prefix(1).filter(all.contains).map { [$0] }
    }
  }
}
