/// The faces that a crop is for.
public enum FaceSelection: Hashable, Sendable {
  /// All faces, in one region.
  case union
  /// The most prominent face: large, whole, in focus, and seen from the front. Faces with a score of at least 0.75 take
  /// precedence.
  ///
  /// The size, the square root of a box's area, counts less if the image cuts the head or other faces are sharper. A
  /// score much lower than another's, and a view from the side, have the same effect. The image's center decides among
  /// nearly equal faces. The choice is made before the search for small faces in tiles, so it is the same in every
  /// request with the same ``FaceSearch/upright``.
  case prominent
  /// The face with the largest box. Faces with a score of at least 0.75 take precedence.
  case largest
  /// The face with the highest ``Face/sharpness``. Faces with a score of at least 0.75 take precedence.
  case sharpest
  /// The face nearest to the image's center.
  case central
  /// Each face in a region of its own, in the order of ``FaceSearch/order``.
  case each
  /// The n-th face in the order of ``FaceSearch/order``, from 1.
  case number(Int)
  /// The person with this name in the image's metadata (``FaceRegion``). Letters' case does not count. A region in which
  /// no face is found frames as a face.
  case person(String)
  /// All faces that have a name in the image's metadata, in one region.
  case tagged

  /// Whether the metadata decide.
  var needsNames: Bool {
    switch self {
    case .person, .tagged: true
    default: false
    }
  }

  /// Whether a search may end once the largest face is certain.
  var takesCertainFace: Bool { self == .prominent || self == .largest }

  /// The score above which a detection is certain.
  static let sureScore = 0.75

  /// The fraction of the highest score below which a face's size is multiplied by ``lessFactor``. Then the fraction of
  /// the highest sharpness below which it is multiplied by less than 1, down to that.
  private static let (lessCertain, lessSharp) = (0.83, 0.8)
  static let lessFactor = 0.65
  /// The factor for a face that is seen from the side.
  private static let aside = 0.8
  /// The fraction of the highest prominence from which another face counts as equal.
  private static let equal = 0.998

  /// Returns the prominence of a face: its size, times a factor for each fault. All factors were chosen on 383 images
  /// with faces, among them 145 with several. The candidates include `face`.
  static func prominence(of face: Face, among others: [Face]) -> Double {
    let (sharpest, surest) = (others.compactMap(\.sharpness).max() ?? 0, others.map(\.score).max() ?? 0)
    let focus = sharpest > 0 ? (face.sharpness ?? sharpest) / (lessSharp * sharpest) : 1
    var size = face.wholeSide * min(max(focus, lessFactor), 1)
    if face.score < lessCertain * surest { size *= lessFactor }
    return face.isProfile ? aside * size : size
  }

  private func mostProminent(of indices: [Int], in faces: [Face], offCenter: (NormalizedRect) -> Double) -> Int {
    let others = indices.map { faces[$0] }
    let prominences = others.map { Self.prominence(of: $0, among: others) }
    let most = prominences.max() ?? 0
    let equals = indices.indices.filter { prominences[$0] >= Self.equal * most }
    // `min` keeps the first of equals, which has the higher score.
    return indices[equals.min { offCenter(others[$0].box) < offCenter(others[$1].box) }!]
  }

  /// Returns groups of indices into `faces`, highest score first, one for each region. Empty if no face qualifies.
  /// `order` is the numbering, and `counts` tells which indices qualify. `chosen` is the index of the face that
  /// ``prominent`` takes if it qualifies; without it, the rule decides among these faces.
  func groups(
    of faces: [Face], order: FaceOrder = .confidence, chosen: Int? = nil, where counts: (Int) -> Bool = { _ in true }
  ) -> [[Int]] {
    let all = faces.indices.filter(counts)
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
    case .prominent:
      [[chosen.flatMap { all.contains($0) ? $0 : nil } ?? mostProminent(of: surest, in: faces, offCenter: offCenter)]]
    case .largest: first(of: surest) { -$0.side }
    case .sharpest: first(of: surest) { -($0.sharpness ?? 0) }
    case .central: first(of: all) { offCenter($0.box) }
    case .number(let number):
      order.indices(of: faces).dropFirst(number - 1).prefix(1).filter(all.contains).map { [$0] }
    case .person(let name):
      // A detected face precedes a region without one.
      all.first { faces[$0].name.map { FaceRegion.isSame($0, name) } == true }.map { [[$0]] } ?? []
    case .tagged: [all.filter { faces[$0].name != nil }].filter { !$0.isEmpty }
    }
  }
}
