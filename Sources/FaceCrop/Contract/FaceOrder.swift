/// The order that numbers faces, if each has its own output or one is chosen by number.
public enum FaceOrder: String, Hashable, Sendable, CaseIterable, StableKeyed {
  /// Left to right, row by row from the top, as in the caption of a group photo. Faces in different rows are at least a
  /// face's height apart, or one is above the other. So a tall person between others is in their row.
  case left
  /// Highest score first.
  case confidence
  /// Largest box first.
  case size

  /// Returns the indices of faces in this order.
  ///
  /// - Parameter faces: The faces with the highest score first, as in ``CropPlan/faces``.
  public func indices(of faces: [Face]) -> [Int] {
    switch self {
    case .confidence: return Array(faces.indices)
    case .size: return faces.indices.sorted { (-faces[$0].box.area, $0) < (-faces[$1].box.area, $1) }
    case .left:
      let downward = faces.indices.sorted { (faces[$0].box.midY, $0) < (faces[$1].box.midY, $1) }
      var rows: [[Int]] = []
      for index in downward {
        // Each face is compared with the previous one, so that a tilted row stays one row.
        let box = faces[index].box
        if let last = rows.last?.last,
          box.midY - faces[last].box.midY < Self.rowDistance * max(box.height, faces[last].box.height)
        {
          rows[rows.count - 1].append(index)
        } else {
          rows.append([index])
        }
      }
      return Self.merged(rows, of: faces).flatMap { row in
        row.sorted { (faces[$0].box.midX, $0) < (faces[$1].box.midX, $1) }
      }
    }
  }

  /// Returns the rows after merging each one with the next, if they are close and no face is above one of the other row.
  private static func merged(_ rows: [[Int]], of faces: [Face]) -> [[Int]] {
    rows.reduce(into: []) { merged, row in
      guard let above = merged.last, areOneRow(above.map { faces[$0].box }, row.map { faces[$0].box }) else {
        return merged.append(row)
      }
      merged[merged.count - 1] += row
    }
  }

  private static func areOneRow(_ above: [NormalizedRect], _ below: [NormalizedRect]) -> Bool {
    func mean(_ row: [NormalizedRect], _ value: (NormalizedRect) -> Double) -> Double {
      row.reduce(0) { $0 + value($1) } / Double(row.count)
    }
    let height = max(mean(above, \.height), mean(below, \.height))
    guard mean(below, \.midY) - mean(above, \.midY) < height else { return false }
    return above.allSatisfy { upper in below.allSatisfy { abs($0.midX - upper.midX) * 2 >= $0.width + upper.width } }
  }

  /// The vertical distance that starts a new row, in heights of the larger of two successive faces.
  private static let rowDistance = 0.5
}
