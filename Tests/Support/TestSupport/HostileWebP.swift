/// Lossless WebP streams (RFC 9649, 3), written bit by bit.
public enum HostileWebP {
  /// Returns an image of one color with a group of prefix codes for every block of 4 × 4 pixels, up to 65,536. Each
  /// takes 20 bits in the file, and thousands of bytes in libwebp.
  ///
  /// - Parameters:
  ///   - side: The side of the square image, a multiple of 4.
  ///   - isAlpha: Whether they belong to an alpha plane before lossy pixels.
  public static func groups(side: Int, isAlpha: Bool = false) throws -> [UInt8] {
    let blocks = side / 4 * (side / 4)
    var bits = BitWriter()
    if !isAlpha {
      // The header: a signature, sides less one, no alpha, version 0.
      bits.write(0x2F, 8)
      bits.write(side - 1, 14)
      bits.write(side - 1, 14)
      bits.write(0, 4)
    }
    // No transforms, no color cache, groups by blocks of 4, whose image has no color cache.
    bits.write(0, 1)
    bits.write(0, 1)
    bits.write(1, 1)
    bits.write(0, 3)
    bits.write(0, 1)
    bits.writeCode(of: 256, alphabet: 280)
    bits.writeCode(of: 256, alphabet: 256)
    for _ in 0..<3 { bits.writeCodeOfZero() }
    // A block's group is in green, and its upper bits in red.
    for block in 0..<blocks {
      bits.writeReversed(block & 0xFF, 8)
      bits.writeReversed(block >> 8 & 0xFF, 8)
    }
    for _ in 0..<5 * min(blocks, 65_536) { bits.writeCodeOfZero() }

    guard isAlpha else { return WebPBuilder.file([("VP8L", bits.bytes)]) }
    let colors = WebPBuilder.chunks(
      of: try encodeWebP(Pixels(width: side, height: side, color: [9, 9, 9]).rgba, quality: 1))
    return WebPBuilder.file(
      [WebPBuilder.extended(flags: 16, width: side, height: side), ("ALPH", [1] + bits.bytes)]
        + colors.filter { $0.name == "VP8 " })
  }
}

extension HostileWebP {
  /// Returns an animation of two frames: a small one, and one with a group of codes for each of its blocks.
  ///
  /// - Parameter side: The side of the square canvas, a multiple of 4.
  public static func laterGroups(side: Int) throws -> [UInt8] {
    let (small, large) = (WebPBuilder.chunks(of: try groups(side: 4)), WebPBuilder.chunks(of: try groups(side: side)))
    return WebPBuilder.file([
      WebPBuilder.extended(flags: 2, width: side, height: side), WebPBuilder.animation,
      WebPBuilder.frame(small[0], x: 0, y: 0, width: 4, height: 4),
      WebPBuilder.frame(large[0], x: 0, y: 0, width: side, height: side),
    ])
  }

  /// Returns an animation of frames of 8 × 8 pixels. Each has five small images with the largest tables of codes.
  public static func tables(frames: Int) -> [UInt8] {
    var bits = BitWriter()
    bits.write(0x2F, 8)
    bits.write(7, 14)
    bits.write(7, 14)
    bits.write(0, 4)
    // Prediction and colors by blocks of 512, and a palette of one color.
    for kind in [0, 1, 3] {
      bits.write(1, 1)
      bits.write(kind, 2)
      bits.write(kind == 3 ? 0 : 7, kind == 3 ? 8 : 3)
      bits.write(0, 1)
      for alphabet in [280, 256, 256, 256, 40] { bits.writeLongCode(alphabet: alphabet) }
      for _ in 0..<4 { bits.writeReversed(0, 1) }
    }
    bits.write(0, 3)
    for _ in 0..<5 { bits.writeCodeOfZero() }
    bits.write(0, 16)
    let frame = WebPBuilder.frame(("VP8L", bits.bytes), x: 0, y: 0, width: 8, height: 8)
    return WebPBuilder.file(
      [WebPBuilder.extended(flags: 2, width: 8, height: 8), WebPBuilder.animation]
        + [WebPBuilder.Chunk](repeating: frame, count: frames))
  }

  /// Returns the start of an image of one color, predicted by up to 6 million blocks of 4 × 4 pixels.
  ///
  /// - Parameters:
  ///   - side: The side of the square image, a multiple of 4.
  ///   - bits: The bits of a block's mode, 0 or 1.
  public static func blocks(side: Int, bits width: Int) -> [UInt8] {
    var bits = BitWriter()
    bits.write(0x2F, 8)
    bits.write(side - 1, 14)
    bits.write(side - 1, 14)
    bits.write(0, 4)
    // A transform: the predictor, by blocks of 4, whose image has no color cache.
    bits.write(1, 1)
    bits.write(0, 2)
    bits.write(0, 3)
    bits.write(0, 1)
    if width == 0 { bits.writeCodeOfZero() } else { bits.writeCode(of: 2, alphabet: 280) }
    for _ in 0..<4 { bits.writeCodeOfZero() }
    for _ in 0..<width * (side / 4 * (side / 4) + 7) / 8 { bits.write(0x55, 8) }
    // No other transform, no color cache, one group of codes.
    bits.write(0, 3)
    for _ in 0..<5 { bits.writeCodeOfZero() }
    bits.write(0, 16)
    return WebPBuilder.file([("VP8L", bits.bytes)])
  }
}

/// A writer of bits, lowest first.
struct BitWriter {
  private(set) var bytes: [UInt8] = []
  private var count = 0

  mutating func write(_ value: Int, _ width: Int) {
    for place in 0..<width {
      if count % 8 == 0 { bytes.append(0) }
      bytes[count / 8] |= UInt8(value >> place & 1) << UInt8(count % 8)
      count += 1
    }
  }

  /// Writes a value in a prefix code's bit order.
  mutating func writeReversed(_ value: Int, _ width: Int) {
    for place in (0..<width).reversed() { write(value >> place & 1, 1) }
  }

  /// Writes the simple code with only the symbol 0, which then takes no bits.
  mutating func writeCodeOfZero() {
    write(0b0001, 4)
  }

  /// Writes the code of 16 symbols whose lengths are 1 to 15, and 15. Its table has 32,768 entries.
  mutating func writeLongCode(alphabet: Int) {
    write(0, 1)
    // Lengths of 0 to 15 have four bits each.
    write(15, 4)
    for place in 0..<19 { write(place < 2 || place == 8 ? 0 : 4, 3) }
    // The lengths of 16 symbols follow.
    write(1, 1)
    write(2, 3)
    write(14, 6)
    for length in Array(1...15) + [15] { writeReversed(length, 4) }
  }

  /// Writes the code whose first symbols, a power of two of them, have equal lengths.
  mutating func writeCode(of symbols: Int, alphabet: Int) {
    let length = symbols.trailingZeroBitCount
    write(0, 1)
    // Lengths of 0 and `length`, in one bit each; they come as 17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8 …
    let order = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
    let last = order.firstIndex(of: length)!
    write(last + 1 - 4, 4)
    for place in order[...last] { write(place == 0 || place == length ? 1 : 0, 3) }
    write(0, 1)
    for symbol in 0..<alphabet { write(symbol < symbols ? 1 : 0, 1) }
  }
}
