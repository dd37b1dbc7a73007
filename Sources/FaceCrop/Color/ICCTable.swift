/// The color tables in a profile: `mft1`, `mft2` and `mAB ` tags (ICC.1:2022, 10.10 to 10.12). The checks ensure that a
/// table is complete. Little CMS then needs only a few times its size, and a fixed number of steps.
enum ICCTable {
  /// The upper bound in bytes. The largest table of press profiles has 1.2 MB.
  private static let mostBytes = 4 << 20

  /// Returns whether a table for this number of color channels is complete.
  static func isSound(_ span: Span<UInt8>, _ tag: Range<Int>, inputs: Int) -> Bool {
    guard tag.count >= 32, tag.count <= mostBytes, span.byte(at: tag.lowerBound + 8) == UInt8(inputs),
      // The connection space has three channels.
      span.byte(at: tag.lowerBound + 9) == 3
    else { return false }
    if span.contains("mft1", at: tag.lowerBound) { return fits(span, tag, inputs, entries: (256, 256), 48, width: 1) }
    if span.contains("mft2", at: tag.lowerBound) {
      let (input, output) = (span.uint16(at: tag.lowerBound + 48), span.uint16(at: tag.lowerBound + 50))
      guard let input, let output, (2...4_096).contains(input), (2...4_096).contains(output) else { return false }
      return fits(span, tag, inputs, entries: (input, output), 52, width: 2)
    }
    return span.contains("mAB ", at: tag.lowerBound) && hasSoundSteps(span, tag, inputs)
  }

  /// Returns whether curves, a grid, and curves fit into the tag, one after the other.
  private static func fits(
    _ span: Span<UInt8>, _ tag: Range<Int>, _ inputs: Int, entries: (input: Int, output: Int), _ header: Int, width: Int
  ) -> Bool {
    guard let side = span.byte(at: tag.lowerBound + 10),
      let grid = gridBytes([Int](repeating: Int(side), count: inputs), width: width)
    else { return false }
    return header + (inputs * entries.input + 3 * entries.output) * width + grid <= tag.count
  }

  /// Returns the bytes of a grid with three channels per point; nil for a side below 2, or more bytes than any tag.
  private static func gridBytes(_ sides: [Int], width: Int) -> Int? {
    var bytes = 3 * width
    for side in sides {
      guard side >= 2, bytes <= mostBytes else { return nil }
      bytes *= side
    }
    return bytes <= mostBytes ? bytes : nil
  }

  /// Checks up to five steps at the offsets in the tag: curves, a matrix, curves, a grid, curves.
  private static func hasSoundSteps(_ span: Span<UInt8>, _ tag: Range<Int>, _ inputs: Int) -> Bool {
    let places = (0..<5).compactMap { span.uint32(at: tag.lowerBound + 12 + 4 * $0) }
    guard places.count == 5, places.allSatisfy({ $0 == 0 || (32..<tag.count).contains($0) }), places[0] != 0,
      // A grid changes the number of channels, so without one the input must have three.
      (places[3] != 0) == (places[4] != 0), places[3] != 0 || inputs == 3
    else { return false }
    func range(_ step: Int) -> Range<Int> { tag.lowerBound + places[step]..<tag.upperBound }
    func hasCurves(_ step: Int, _ count: Int) -> Bool {
      guard places[step] != 0 else { return true }
      var left = range(step)
      for _ in 0..<count {
        guard let bytes = ToneCurve.byteCount(span, left) else { return false }
        // Curves are aligned to four bytes.
        left = min(left.lowerBound + (bytes + 3) & ~3, left.upperBound)..<left.upperBound
      }
      return true
    }
    guard hasCurves(0, 3), places[1] == 0 || range(1).count >= 48, hasCurves(2, 3), hasCurves(4, inputs) else {
      return false
    }
    guard places[3] != 0 else { return true }
    let sides = (0..<inputs).compactMap { span.byte(at: range(3).lowerBound + $0).map(Int.init) }
    guard range(3).count >= 20, let width = span.byte(at: range(3).lowerBound + 16), (1...2).contains(width),
      let grid = gridBytes(sides, width: Int(width))
    else { return false }
    return 20 + grid <= range(3).count
  }
}
