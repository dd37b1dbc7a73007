/// How faces are numbered, where each has an output of its own or one is chosen by its number.
public enum FaceOrder: String, Hashable, Sendable, CaseIterable {
  /// From left to right, row by row from the top, as people are named below a group photo.
  case left
  /// The face that the detector is most confident of first.
  case confidence
  /// The face with the largest box first.
  case size

  /// Returns the indices of the faces in this order.
  ///
  /// - Parameter faces: The most confident one first.
  func indices(of faces: [Face]) -> [Int] {
    switch self {
    case .confidence: return Array(faces.indices)
    case .size: return faces.indices.sorted { (-faces[$0].box.area, $0) < (-faces[$1].box.area, $1) }
    case .left:
      let downward = faces.indices.sorted { (faces[$0].box.midY, $0) < (faces[$1].box.midY, $1) }
      var rows: [[Int]] = []
      for index in downward {
        // The row's middle moves with it: a tilted row stays one.
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

  /// How far below the one before, in heights of the larger face, a face begins a new row.
  private static let rowDistance = 0.5
}
