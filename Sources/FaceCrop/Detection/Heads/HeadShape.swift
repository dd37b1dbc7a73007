internal import Glibc

/// The shape of a head in a mask of people: a person with background beside the head, and shoulders below.
///
/// All numbers were tuned on 180 heads measured by eye, and on 76 images without people.
struct HeadShape {
  /// The likely face box, in pixels of the mask.
  let box: Frame

  /// The typical height and width of a face box, in heights of the head and of the box.
  private static let (boxHeight, boxWidth) = (1 / 1.27, 0.75)
  /// The heights of heads to try, in shorter sides of the mask: the first, the factor to the next one, and their number.
  /// Then the least height.
  private static let (smallest, factor, sizes, least) = (0.12, 1.18, 12, 0.15)
  /// Parts of a head, from the middle of its crown, in its heights.
  private static let (inner, shoulders, besides) = (
    Frame(x: -0.3, y: 0.12, width: 0.6, height: 0.88), Frame(x: -0.75, y: 1.45, width: 1.5, height: 0.3),
    [-0.95, 0.55].map { Frame(x: $0, y: -0.05, width: 0.4, height: 0.6) }
  )
  /// The head in the width of the shoulders, and their least ratio. A pillar has no shoulders.
  private static let (above, leastRatio) = (Frame(x: -0.75, y: 0.2, width: 1.5, height: 0.5), 1.15)
  /// The least shares of people in the first two parts, and the largest in the last ones.
  private static let (leastInner, leastShoulders, mostBeside) = (0.93, 0.7, 0.25)
  /// The weights of the size and of the distance from the image's middle.
  private static let (sizeWeight, centerWeight) = (0.8, 0.3)

  /// Finds the most prominent head: large, and near the middle. Nil if it has not the shape.
  init?(in mask: [UInt8], _ size: PixelSize) {
    let across = size.width + 1
    var sums = [Int](repeating: 0, count: across * (size.height + 1))
    var tops = [Int](repeating: size.height, count: size.width)
    for row in 0..<size.height {
      var sum = 0
      for column in 0..<size.width {
        let isPerson = mask[row * size.width + column] >= 128
        if isPerson { tops[column] = min(tops[column], row) }
        sum += isPerson ? 1 : 0
        sums[(row + 1) * across + column + 1] = sums[row * across + column + 1] + sum
      }
    }
    /// Returns the share of people in a part of a head; nil if more than half of it lies outside.
    func share(_ head: Frame, _ part: Frame) -> Double? {
      func inside(_ place: Double, _ side: Int) -> Int { Int(min(max(place.rounded(), 0), Double(side))) }
      let area = part.scaled(by: head.height).moved(x: head.x + part.x * head.height, y: head.y + part.y * head.height)
      let (left, right) = (inside(area.x, size.width), inside(area.maxX, size.width))
      let (top, bottom) = (inside(area.y, size.height) * across, inside(area.maxY, size.height) * across)
      let count = (right - left) * (bottom - top) / across
      guard count > 0, Double(count) >= area.width * area.height / 2 else { return nil }
      let sum = sums[bottom + right] - sums[bottom + left] - sums[top + right] + sums[top + left]
      return Double(sum) / Double(count)
    }
    var best: (head: Frame, rank: Double, isHead: Bool)?
    for number in 0..<Self.sizes {
      let height = Self.smallest * pow(Self.factor, Double(number)) * Double(size.shortSide)
      for x in stride(from: height / 5, to: Double(size.width) - height / 5, by: max(height / 12, 1)) {
        let columns = max(Int(x - height / 4), 0)...min(Int(x + height / 4), size.width - 1)
        let head = Frame(x: x, y: Double(tops[columns].min()!), width: 0, height: height)
        guard let inner = share(head, Self.inner), inner >= Self.leastInner,
          let beside = Self.besides.compactMap({ share(head, $0) }).max()
        else { continue }
        let shoulders = share(head, Self.shoulders) ?? 0
        let rank =
          inner + shoulders - beside + Self.sizeWeight * log(height)
          - Self.centerWeight * abs(x / Double(size.width) - 0.5)
        guard rank > best?.rank ?? -.infinity else { continue }
        let narrowest = max(Self.leastShoulders, Self.leastRatio * (share(head, Self.above) ?? 1))
        best = (head, rank, shoulders >= narrowest && beside <= Self.mostBeside)
      }
    }
    guard let best, best.isHead, best.head.height >= Self.least * Double(size.shortSide) else { return nil }
    let (head, height) = (best.head, Self.boxHeight * best.head.height)
    let width = Self.boxWidth * height
    box = Frame(x: head.x - width / 2, y: head.maxY - height, width: width, height: height)
  }
}
