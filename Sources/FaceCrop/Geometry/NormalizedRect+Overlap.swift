extension NormalizedRect {
  private func common(with other: NormalizedRect) -> Double {
    let width = min(maxX, other.maxX) - max(x, other.x)
    let height = min(maxY, other.maxY) - max(y, other.y)
    return width > 0 && height > 0 ? width * height : 0
  }

  package func intersectionOverUnion(_ other: NormalizedRect) -> Double {
    let common = common(with: other)
    return common > 0 ? common / (area + other.area - common) : 0
  }

  func intersectionOverSmaller(_ other: NormalizedRect) -> Double {
    let common = common(with: other)
    return common > 0 ? common / min(area, other.area) : 0
  }
}
