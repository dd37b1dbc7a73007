/// The order that numbers faces, if each has its own output or one is chosen by number.
public enum FaceOrder: String, Hashable, Sendable, CaseIterable {
  /// Left to right, row by row from the top, as in the caption of a group photo.
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
      return rows.flatMap { row in row.sorted { (faces[$0].box.midX, $0) < (faces[$1].box.midX, $1) } }
    }
  }

  /// The vertical distance that starts a new row, in heights of the larger of two successive faces.
  private static let rowDistance = 0.5
}
