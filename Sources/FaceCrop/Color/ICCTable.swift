/// The color tables in a profile: `mft1`, `mft2`, `mAB ` and `mBA ` tags (ICC.1:2022, 10.10 to 10.13). The checks ensure
/// that a table is complete. Little CMS then needs only a few times its size, and a fixed number of steps.
enum ICCTable {
  /// The upper bound in bytes. The largest table of press profiles has 1.2 MB.
  private static let mostBytes = 4 << 20

  /// Returns whether a table from this number of color channels is complete.
  static func isSound(_ span: Span<UInt8>, _ tag: Range<Int>, inputs: Int) -> Bool {
    parts(span, tag, channels: inputs, isFromDevice: true) != nil
  }

  /// Returns the parts of a complete table that have a meaning; nil for another tag. One side of the table has the
  /// `channels` of a device, and the other one the three of the connection space.
  static func parts(_ span: Span<UInt8>, _ tag: Range<Int>, channels: Int, isFromDevice: Bool) -> [Range<Int>]? {
    let (inputs, outputs) = isFromDevice ? (channels, 3) : (3, channels)
    guard tag.count >= 32, tag.count <= mostBytes, span.byte(at: tag.lowerBound + 8) == UInt8(inputs),
      span.byte(at: tag.lowerBound + 9) == UInt8(outputs)
    else { return nil }
    let start = tag.lowerBound
    if span.contains("mft1", at: start) {
      return parts(span, tag, (inputs, outputs), entries: (256, 256), header: 48, width: 1)
    }
    if span.contains("mft2", at: start) {
      let (input, output) = (span.uint16(at: start + 48), span.uint16(at: start + 50))
      guard let input, let output, (2...4_096).contains(input), (2...4_096).contains(output) else { return nil }
      return parts(span, tag, (inputs, outputs), entries: (input, output), header: 52, width: 2)
    }
    guard span.contains(isFromDevice ? "mAB " : "mBA ", at: start) else { return nil }
    return steps(span, tag, channels: channels, (inputs, outputs))
  }

  /// Returns the whole of curves, a grid, and curves, one after the other.
  private static func parts(
    _ span: Span<UInt8>, _ tag: Range<Int>, _ channels: (inputs: Int, outputs: Int),
    entries: (input: Int, output: Int), header: Int, width: Int
  ) -> [Range<Int>]? {
    guard let side = span.byte(at: tag.lowerBound + 10) else { return nil }
    let sides = [Int](repeating: Int(side), count: channels.inputs)
    guard let grid = gridBytes(sides, channels.outputs * width) else { return nil }
    let first = tag.lowerBound + header
    let middle = first + channels.inputs * entries.input * width
    let last = middle + grid
    let end = last + channels.outputs * entries.output * width
    guard end <= tag.upperBound, isSmooth(span, middle..<last, side: Int(side), channels.outputs, width) else {
      return nil
    }
    func rise(_ start: Int, _ count: Int, _ entries: Int) -> Bool {
      (0..<count).allSatisfy { ToneCurve.isSteady(span, start + $0 * entries * width, entries, width: width) }
    }
    guard rise(first, channels.inputs, entries.input), rise(last, channels.outputs, entries.output) else { return nil }
    return [tag.lowerBound..<end]
  }

  /// Returns the bytes of a grid with points of `width` bytes; nil for a side below 2, or more bytes than any tag.
  private static func gridBytes(_ sides: [Int], _ width: Int) -> Int? {
    var bytes = width
    for side in sides {
      guard side >= 2, bytes <= mostBytes else { return nil }
      bytes *= side
    }
    return bytes <= mostBytes ? bytes : nil
  }

  /// Returns whether the numbers of a grid change slowly, as colors do. Any other data have jumps everywhere.
  ///
  /// `side` is the number of points along the last input. The differences along it are compared with their number
  /// space: colors change by less than all of it. Random numbers change by a third of it at each point.
  private static func isSmooth(
    _ span: Span<UInt8>, _ grid: Range<Int>, side: Int, _ channels: Int, _ width: Int
  ) -> Bool {
    let line = side * channels * width
    // Shorter lines, of less than 400 points in total, have no room for an image.
    guard side >= 5 else { return true }
    var (changes, numbers) = (0, 0)
    for start in stride(from: grid.lowerBound, to: grid.upperBound, by: line) {
      for place in stride(from: start, to: start + line - channels * width, by: width) {
        // The higher byte of a number suffices.
        let next = place + channels * width
        changes += abs(Int(span[place]) - Int(span[next]))
      }
      numbers += side * channels
      if numbers >= 256 {
        guard changes * side * 10 <= numbers * 255 * 11 else { return false }
        (changes, numbers) = (0, 0)
      }
    }
    return true
  }

  /// Checks up to five steps at the offsets in the tag, and returns their parts: curves, a matrix, curves, a grid, and
  /// curves. The last two are those of the device.
  private static func steps(
    _ span: Span<UInt8>, _ tag: Range<Int>, channels: Int, _ sides: (inputs: Int, outputs: Int)
  ) -> [Range<Int>]? {
    let places = (0..<5).compactMap { span.uint32(at: tag.lowerBound + 12 + 4 * $0) }
    guard places.count == 5, places.allSatisfy({ $0 == 0 || (32..<tag.count).contains($0) }), places[0] != 0,
      // A grid changes the number of channels, so without one both sides must have three.
      (places[3] != 0) == (places[4] != 0), places[3] != 0 || channels == 3
    else { return nil }
    var parts = [tag.lowerBound..<tag.lowerBound + 32]
    func range(_ step: Int) -> Range<Int> { tag.lowerBound + places[step]..<tag.upperBound }
    for (step, count) in [(0, 3), (2, 3), (4, channels)] where places[step] != 0 {
      var left = range(step)
      for _ in 0..<count {
        guard let bytes = ToneCurve.byteCount(span, left) else { return nil }
        parts.append(left.lowerBound..<left.lowerBound + bytes)
        // Curves are aligned to four bytes.
        left = min(left.lowerBound + (bytes + 3) & ~3, left.upperBound)..<left.upperBound
      }
    }
    if places[1] != 0 {
      guard range(1).count >= 48 else { return nil }
      parts.append(range(1).lowerBound..<range(1).lowerBound + 48)
    }
    guard places[3] != 0 else { return parts }
    let start = range(3).lowerBound
    let points = (0..<sides.inputs).compactMap { span.byte(at: start + $0).map(Int.init) }
    guard range(3).count >= 20, let width = span.byte(at: start + 16), (1...2).contains(width),
      let grid = gridBytes(points, sides.outputs * Int(width)), 20 + grid <= range(3).count,
      isSmooth(span, start + 20..<start + 20 + grid, side: points[sides.inputs - 1], sides.outputs, Int(width))
    else { return nil }
    return parts + [start..<start + sides.inputs, start + 16..<start + 17, start + 20..<start + 20 + grid]
  }
}
