extension NormalizedRect {
  private func common(with other: NormalizedRect) -> Double {
    let width = min(maxX, other.maxX) - max(x, other.x)
    let height = min(maxY, other.maxY) - max(y, other.y)
    return width > 0 && height > 0 ? width * height : 0
  }

  func intersectionOverUnion(_ other: NormalizedRect) -> Double {
    let common = common(with: other)
    return common > 0 ? common / (area + other.area - common) : 0
  }

  func intersectionOverSmaller(_ other: NormalizedRect) -> Double {
    let common = common(with: other)
    return common > 0 ? common / min(area, other.area) : 0
  }
}

extension [Face] {
  /// Returns the best face of each group that overlaps by more than `limit`, highest score first (non-maximum
  /// suppression).
  func suppressed(above limit: Double, by overlap: (NormalizedRect, NormalizedRect) -> Double) -> [Face] {
    var kept: [Face] = []
    for face in sorted(by: Face.precedes) where kept.allSatisfy({ overlap(face.box, $0.box) <= limit }) {
      kept.append(face)
    }
    return kept
  }
}

extension Face {
  /// The face with its box clipped to the image.
  var clamped: Face {
    var face = self
    face.box = box.clamped()
    return face
  }
}
