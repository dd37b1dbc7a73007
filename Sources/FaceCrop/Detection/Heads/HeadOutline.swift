/// The outline of a head in a mask: the pixels connected with the face, row by row, from chin to crown.
struct HeadOutline {
  /// The rows of the head, from the crown down, and the first and last column of each.
  let rows: Range<Int>
  let spans: [ClosedRange<Int>]
  /// The distance from the first row's upper edge down to the crown, in rows, −0.5…0.5.
  let fraction: Double
  /// The fraction of uncertain pixels around the crown, 0…1.
  let doubt: Double
  /// The difference between the mean colors just inside and just outside the crown, 0…255. It is low where the image has no edge there,
  /// as with dark hair in front of a dark background.
  let contrast: Double

  /// Whether another body above touches the head.
  let isJoined: Bool

  /// The least width of another body, in widths of the waist below it, and in heights of the box. Then the least height
  /// of both above the box.
  private static let (bodyWidth, body, highest) = (1.3, 0.6, 1.0)

  /// The minimum probability of a person's pixel, and the range of uncertain ones.
  private static let (person, doubtful) = (UInt8(128), UInt8(40)..<UInt8(215))
  /// The maximum distance of a head's side from the box's center, in widths of the face box; then that of a profile.
  private static let (reach, profileReach) = (0.9, 1.4)
  /// The area around the crown for `doubt`: above and below, in heights of the box, and to either side, in its widths.
  private static let (doubtAbove, doubtBelow, doubtBeside) = (0.1, 0.3, 0.8)
  /// The bands whose colors are compared: their nearer and farther distance from the crown, and the least width, in heights of the box.
  private static let (contrastFrom, contrastTo, contrastWidth) = (0.015, 0.125, 0.25)

  /// Finds the outline of the head with this face box, in pixels of the image. A pixel belongs to the nearest face, in
  /// heights of the boxes. Nil if the mask shows no person at the center of the face.
  init?(of box: Frame, _ isProfile: Bool, among others: [Frame], in mask: PersonMask, image: PixelSize) {
    // Only faces near the mask matter.
    let neighbors = others.filter { other in
      abs(other.midX - mask.area.midX) < mask.area.width / 2 + other.height
        && abs(other.midY - mask.area.midY) < mask.area.height / 2 + other.height
    }.map(mask.place(of:))
    let own = mask.place(of: box)
    func owns(_ column: Int, _ row: Int) -> Bool {
      let distance = own.distance(column, row)
      return neighbors.allSatisfy { $0.distance(column, row) >= distance }
    }
    let (side, scale) = (mask.side, mask.scale)
    let (column, row) = (mask.column, mask.row)
    let reach = (isProfile ? Self.profileReach : Self.reach) * box.width
    let columns = column(max(box.midX - reach, 0))..<column(min(box.midX + reach, Double(image.width)))
    let (top, middle, bottom) = (row(0), row(box.midY), min(row(box.maxY), row(Double(image.height))))
    guard !columns.isEmpty, top <= middle, middle < bottom else { return nil }

    /// Returns the person's pixels in a row that are connected with the previous row; nil without any.
    func follow(_ y: Int, _ connected: inout [Bool]) -> ClosedRange<Int>? {
      let start = y * side
      let isPerson = columns.map { mask.probabilities[start + $0] >= Self.person && owns($0, y) }
      var next = [Bool](repeating: false, count: columns.count)
      for x in isPerson.indices where isPerson[x] {
        next[x] =
          connected[x] || (x > 0 && (connected[x - 1] || next[x - 1])) || (x + 1 < connected.count && connected[x + 1])
      }
      for x in isPerson.indices.dropLast().reversed() where isPerson[x] && next[x + 1] { next[x] = true }
      connected = next
      guard let first = next.firstIndex(of: true), let last = next.lastIndex(of: true) else { return nil }
      return columns.lowerBound + first...columns.lowerBound + last
    }

    let face = column(box.x + box.width / 4)...column(box.maxX - box.width / 4)
    let seed = columns.map { face.contains($0) }
    var connected = seed
    var above: [ClosedRange<Int>] = []
    var crownColumns = connected
    /// The narrowest row above the box so far, and the number of rows up to it; then that below another body.
    var (waist, neck): ((width: Int, rows: Int), Int?) = ((side, 0), nil)
    for y in (top...middle).reversed() {
      guard let span = follow(y, &connected) else { break }
      above.append(span)
      crownColumns = connected
      guard y <= row(box.y), neck == nil else { continue }
      if span.count < waist.width { waist = (span.count, above.count) }
      let body = max(Self.bodyWidth * Double(waist.width), Self.body * box.height / scale)
      if Double(span.count) > body { neck = waist.rows }
    }
    guard !above.isEmpty else { return nil }
    // A hat can be wider than the head below it, but it ends soon.
    isJoined = neck != nil && Double(above.count - (middle - row(box.y))) * scale > Self.highest * box.height
    if isJoined, let neck { above.removeLast(above.count - neck) }
    let crown = middle - above.count + 1
    connected = seed
    _ = follow(middle, &connected)
    var below: [ClosedRange<Int>] = []
    for y in middle + 1..<max(bottom, middle + 1) {
      guard let span = follow(y, &connected) else { break }
      below.append(span)
    }
    rows = crown..<middle + 1 + below.count
    spans = above.reversed() + below

    // The probabilities of the crown's row and the one above give its position between them.
    let crownPlaces = columns.filter { crownColumns[$0 - columns.lowerBound] }
    func highest(_ y: Int) -> Double { Double(crownPlaces.map { mask.probabilities[y * side + $0] }.max() ?? 0) }
    let (inside, outside) = (highest(crown), crown > 0 ? highest(crown - 1) : 0)
    fraction = 0.5 - min(max((inside - 127.5) / max(inside - outside, 1), 0), 1)

    let high = row(mask.area.y + Double(crown) * scale - Self.doubtAbove * box.height)
    let low = max(row(mask.area.y + Double(crown) * scale + Self.doubtBelow * box.height), high + 1)
    let beside = column(box.midX - Self.doubtBeside * box.width)..<column(box.midX + Self.doubtBeside * box.width)
    doubt = mask.share(beside, high..<min(low, side)) { Self.doubtful.contains($0) } ?? 0

    let (near, far) = (Self.contrastFrom * box.height / scale, Self.contrastTo * box.height / scale)
    let crownSpans = spans.prefix(max(Int(far), 1))
    let (first, last) = (crownSpans.map(\.lowerBound).min() ?? 0, crownSpans.map(\.upperBound).max() ?? 0)
    let widening = max((Int(Self.contrastWidth * box.height / scale) - (last - first)) / 2, 0)
    let across = max(first - widening, 0)..<min(last + widening + 1, side)
    let line = Double(crown) + fraction
    contrast = mask.pixels.difference(
      between: min(Int(line + near), side)..<min(Int(line + far) + 1, side),
      and: max(Int(line - far), top)..<max(Int(line - near), top), in: across)
  }
}

extension PixelBuffer {
  /// Returns the difference between the mean colors of two bands of rows, the mean of three channels; 255 where a band is empty.
  fileprivate func difference(between first: Range<Int>, and second: Range<Int>, in columns: Range<Int>) -> Double {
    guard !first.isEmpty, !second.isEmpty, !columns.isEmpty else { return 255 }
    func mean(_ rows: Range<Int>, _ channel: Int) -> Double {
      var sum = 0
      for y in rows {
        for x in columns { sum += Int(bytes[y * bytesPerRow + 3 * x + channel]) }
      }
      return Double(sum) / Double(rows.count * columns.count)
    }
    return (0..<3).reduce(0) { $0 + abs(mean(first, $1) - mean(second, $1)) } / 3
  }
}
