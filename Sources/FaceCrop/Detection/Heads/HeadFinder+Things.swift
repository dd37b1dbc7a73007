/// The search for a narrow thing on a head, such as a plume or a party hat: it stands out from the background on both
/// sides. The network takes such things for background.
///
/// Lengths are in heights of the face box, and differences in levels. All numbers were tuned on 380 images, four of them
/// with such things.
extension HeadFinder {
  /// The searched columns, and those of the background on both sides, from the middle of the crown.
  private static let (reach, near, far) = (0.2, 0.34, 0.56)
  /// The least difference from the background, and its part in mean deviations of the background's plainer side.
  private static let (difference, deviations) = (24.0, 3.0)
  /// The least width, the largest gap above the crown, and the background that ends a thing.
  private static let (width, gap, end) = (0.04, 0.04, 0.07)
  /// The distance from the crown of the first row, and the heights of things.
  private static let (start, heights) = (0.03, 0.15...0.8)

  /// Returns the height of a thing above a crown, in heights of the face box, which is `unit` in pixels. It is 0 without
  /// a thing, for one without an end, and if another face is there.
  func thing(above crown: (x: Double, y: Double), _ unit: Double, among others: [Frame]) -> Double {
    let (far, highest) = (Self.far * unit, max(crown.y - (Self.heights.upperBound + Self.end) * unit, 0))
    guard others.allSatisfy({ abs($0.midX - crown.x) > far + $0.width / 2 || $0.maxY < highest || $0.y > crown.y })
    else { return 0 }
    func columns(_ left: Double, _ right: Double) -> Range<Int> {
      let first = max(Int(crown.x + left * unit), 0)
      return first..<max(min(Int(crown.x + right * unit) + 1, image.width), first)
    }
    let middle = columns(-Self.reach, Self.reach)
    let sides = [columns(-Self.far, -Self.near), columns(Self.near, Self.far)]
    guard !sides.contains(where: \.isEmpty) else { return 0 }
    var (top, missing) = (nil as Int?, 0)
    for row in stride(from: Int(crown.y - Self.start * unit), through: Int(highest), by: -1) {
      let means = sides.map { $0.reduce(.zero) { $0 + color($1, row) } / Double($0.count) }
      let deviation = zip(sides, means).reduce(.infinity) { least, side in
        min(least, side.0.reduce(0) { $0 + difference(color($1, row), side.1) } / Double(side.0.count))
      }
      let least = Self.difference + Self.deviations * deviation
      let seen = middle.count { column in means.allSatisfy { difference(color(column, row), $0) > least } }
      if seen >= max(Int(Self.width * unit), 1), difference(means[0], means[1]) < Self.difference + deviation {
        (top, missing) = (row, 0)
      } else {
        missing += 1
      }
      guard Double(missing) > (top == nil ? Self.gap : Self.end) * unit else { continue }
      let height = top.map { (crown.y - Double($0)) / unit } ?? 0
      return Self.heights.contains(height) ? height : 0
    }
    return 0
  }

  private func color(_ column: Int, _ row: Int) -> SIMD3<Double> {
    let place = row * image.bytesPerRow + 3 * column
    return SIMD3(Double(image.bytes[place]), Double(image.bytes[place + 1]), Double(image.bytes[place + 2]))
  }

  /// Returns the mean difference of two colors' channels.
  private func difference(_ first: SIMD3<Double>, _ second: SIMD3<Double>) -> Double {
    (first - second).indices.reduce(0) { $0 + abs(first[$1] - second[$1]) } / 3
  }
}
