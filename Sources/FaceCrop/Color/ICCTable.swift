/// Tables of colors in a profile, `mft1`, `mft2` and `mAB ` tags (ICC.1:2022, 10.10 to 10.12): whether all of one is there, and it is
/// as long as it says. What Little CMS makes of a table is then a few times as large, and its steps are the same few ones.
enum ICCTable {
  /// Bytes. The largest that profiles for presses have is 1.2 MB.
  private static let mostBytes = 4 << 20

  /// - Parameter inputs: channels of the colors.
  static func isSound(_ span: Span<UInt8>, _ tag: Range<Int>, inputs: Int) -> Bool {
    guard tag.count >= 32, tag.count <= mostBytes, span.byte(at: tag.lowerBound + 8) == UInt8(inputs),
      // Of the space between.
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

  /// Curves, a grid and curves again, one after the other.
  private static func fits(
    _ span: Span<UInt8>, _ tag: Range<Int>, _ inputs: Int, entries: (input: Int, output: Int), _ header: Int, width: Int
  ) -> Bool {
    guard let side = span.byte(at: tag.lowerBound + 10),
      let grid = gridBytes([Int](repeating: Int(side), count: inputs), width: width)
    else { return false }
    return header + (inputs * entries.input + 3 * entries.output) * width + grid <= tag.count
  }

  /// Bytes of a grid of three channels at every point; nil for one that has no sides, or is larger than any tag.
  private static func gridBytes(_ sides: [Int], width: Int) -> Int? {
    var bytes = 3 * width
    for side in sides {
      guard side >= 2, bytes <= mostBytes else { return nil }
      bytes *= side
    }
    return bytes <= mostBytes ? bytes : nil
  }

  /// Up to five, each where the tag says: curves, a matrix, curves, a grid, curves.
  private static func hasSoundSteps(_ span: Span<UInt8>, _ tag: Range<Int>, _ inputs: Int) -> Bool {
    let places = (0..<5).compactMap { span.uint32(at: tag.lowerBound + 12 + 4 * $0) }
    guard places.count == 5, places.allSatisfy({ $0 == 0 || (32..<tag.count).contains($0) }), places[0] != 0,
      // A grid takes as many channels as there are curves before it; without one they stay as many.
      (places[3] != 0) == (places[4] != 0), places[3] != 0 || inputs == 3
    else { return false }
    func range(_ step: Int) -> Range<Int> { tag.lowerBound + places[step]..<tag.upperBound }
    func hasCurves(_ step: Int, _ count: Int) -> Bool {
      guard places[step] != 0 else { return true }
      var left = range(step)
      for _ in 0..<count {
        guard let bytes = ToneCurve.byteCount(span, left) else { return false }
        // They begin at multiples of four.
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
