/// JPEG XL files whose headers cost much, written bit by bit (ISO/IEC 18181-1).
public enum HostileJXL {
  /// Returns an image of 64 × 64 pixels without data, whose color profile unpacks to zeros.
  ///
  /// - Parameters:
  ///   - count: The bytes of the profile without its header, below 2²⁹.
  ///   - hasExtraFields: Whether all other parts of the header precede it.
  public static func profile(of count: Int, hasExtraFields: Bool = false) -> [UInt8] {
    var bits = BitWriter()
    bits.write(0x0AFF, 16)
    // 64 × 64 pixels, and a header with its own values.
    bits.write(1, 1)
    bits.write(7, 5)
    bits.write(1, 3)
    bits.write(0, 1)
    bits.write(hasExtraFields ? 1 : 0, 1)
    if hasExtraFields { writeExtraFields(&bits) }
    // 8 bits a sample, and 16 in buffers; a channel for depth with a name of 4 letters; no XYB.
    bits.write(0, 3)
    bits.write(1, 1)
    bits.write(hasExtraFields ? 1 : 0, 2)
    if hasExtraFields {
      bits.write(0, 1)
      bits.write(1, 2)
      bits.write(0, 5)
      bits.write(1, 2)
      bits.write(4, 4)
      for _ in 0..<4 { bits.write(65, 8) }
    }
    bits.write(0, 1)
    // A profile of RGB; light as usual.
    bits.write(0, 1)
    bits.write(1, 1)
    bits.write(0, 2)
    if hasExtraFields { bits.write(1, 1) }
    // No extensions, and the usual transform.
    bits.write(0, 2)
    bits.write(1, 1)
    writeProfile(of: count, &bits)
    return bits.bytes + [UInt8](repeating: 0, count: 64)
  }

  /// Returns a black animation with layers of one pixel below its last frame. libjxl blends each with the whole image.
  ///
  /// - Parameters:
  ///   - side: The width and height in pixels, 1,025 to 8,192.
  ///   - follows: Whether a frame is shown before the layers.
  public static func layers(_ count: Int, side: Int, follows: Bool = false) -> [UInt8] {
    var bits = BitWriter()
    bits.write(0x0AFF, 16)
    // A square, and a header with its own values.
    bits.write(0, 1)
    bits.write(1, 2)
    bits.write(side - 1, 13)
    bits.write(1, 3)
    bits.write(0, 1)
    // Extra fields: an animation.
    bits.write(1, 1)
    bits.write(0, 5)
    bits.write(1, 1)
    bits.write(0, 7)
    // 8 bits a sample, and 16 in buffers; no extra channels; no XYB; sRGB; the usual light and transform.
    bits.write(0, 3)
    bits.write(1, 1)
    bits.write(0, 3)
    bits.write(3, 2)
    bits.write(0, 2)
    bits.write(1, 1)
    let start = bits.bytes + (follows ? frame(isShown: true, isLast: false, side: side) : [])
    let image = (0..<count).reduce(into: start) { image, _ in
      image += frame(isShown: false, isLast: false, side: side)
    }
    return image + frame(isShown: true, isLast: true, side: side)
  }

  /// Returns a modular frame of black, in groups of 1,024 pixels. One that is not shown is a pixel.
  private static func frame(isShown: Bool, isLast: Bool, side: Int) -> [UInt8] {
    var bits = BitWriter()
    // Its own values; a regular frame; modular; no flags, YCbCr, or upsampling.
    bits.write(0, 3)
    bits.write(1, 1)
    bits.write(0, 5)
    // Groups of 1,024 pixels, and one pass.
    bits.write(3, 2)
    bits.write(0, 2)
    bits.write(isShown ? 0 : 1, 1)
    if !isShown {
      // The pixel at the corner replaces that of frame 1.
      for value in [0, 0, 1, 1] { bits.write(value << 2, 10) }
      bits.write(1 << 2, 4)
    } else {
      bits.write(0, 2)
    }
    // A duration of a tick if another follows, and a place among the frames for reference; no name, filter, or extensions.
    bits.write(isShown && !isLast ? 1 : 0, 2)
    bits.write(isLast ? 1 : 0, 1)
    if !isLast { bits.write(isShown ? 0 : 1, 2) }
    bits.write(0, 2)
    bits.write(0, 6)
    bits.write(0, 2)
    bits.write(0, 1)
    let across = (side + 1_023) / 1_024
    // The tree of one leaf, and a code of one symbol.
    let (first, other): ([UInt8], [UInt8]) = (section(isFirst: true), section(isFirst: false))
    let lone = isShown ? [first, [], []] + [[UInt8]](repeating: other, count: across * across) : [first]
    var sizes = BitWriter()
    for section in lone { sizes.write(section.count << 2, 12) }
    return bits.bytes + sizes.bytes + lone.joined()
  }

  private static func section(isFirst: Bool) -> [UInt8] {
    var bits = BitWriter()
    if isFirst {
      // Usual factors; a tree with six contexts in one, and its leaf with one: prefix codes of one symbol.
      bits.write(0b11, 2)
      bits.write(0b0_0000_1_00_1_0, 10)
      bits.write(0b0_0000_1_0, 7)
    }
    // That tree, the usual predictor, and no transforms.
    bits.write(0b0011, 4)
    return bits.bytes
  }

  private static func writeExtraFields(_ bits: inout BitWriter) {
    // Orientation, the size to show, no preview, and an animation.
    bits.write(0, 3)
    bits.write(1, 1)
    bits.write(0, 1)
    bits.write(0, 2)
    bits.write(63, 9)
    bits.write(1, 3)
    bits.write(0, 1)
    bits.write(1, 1)
    for _ in 0..<3 { bits.write(0, 2) }
    bits.write(0, 1)
  }

  /// The tokens of the code of four symbols, each with two bits.
  private static let tokens = [0, 1, 8, 32]

  private static func write(token: Int, _ bits: inout BitWriter) {
    let index = tokens.firstIndex(of: token)!
    bits.write(index >> 1, 1)
    bits.write(index & 1, 1)
  }

  private static func write(byte: Int, _ bits: inout BitWriter) {
    guard byte > 0 else { return write(token: 0, &bits) }
    let token = Int.bitWidth - byte.leadingZeroBitCount
    write(token: token, &bits)
    bits.write(byte - 1 << (token - 1), token - 1)
  }

  /// Returns a number with seven bits in a byte, in `count` bytes. Only the last may have another token.
  private static func varint(_ value: Int, _ count: Int) -> [Int] {
    (0..<count).map { index in
      let part = value >> (7 * index)
      return index == count - 1 ? part : 0x80 | part & 0x7F
    }
  }

  /// Writes a profile: no tags, and a command that inserts zeros, which are copies of one.
  private static func writeProfile(of count: Int, _ bits: inout BitWriter) {
    let commands = [0, 1] + varint(count, 5)
    let head = varint(128 + count, 5) + varint(commands.count, 2)
    writeLong(head.count + commands.count + 128 + count, &bits)
    // Copies of at least 3 bytes, by symbols from 9 on; one context; prefix codes of an alphabet of 33.
    bits.write(1, 1)
    bits.write(3, 2)
    bits.write(1, 15)
    bits.write(0, 2)
    bits.write(0, 4)
    bits.write(1, 1)
    bits.write(0, 2)
    bits.write(1, 1)
    bits.write(0, 4)
    bits.write(1, 1)
    bits.write(5, 4)
    bits.write(0, 5)
    bits.write(1, 2)
    bits.write(3, 2)
    for token in tokens { bits.write(token, 6) }
    bits.write(0, 1)
    for byte in head + commands { write(byte: byte, &bits) }
    // libjxl reads at most 256 bytes for each byte.
    var left = 128 + count
    for _ in 0..<min(left / 64 + 2_048, left) { write(token: 0, &bits) }
    left -= min(left / 64 + 2_048, left)
    let (least, most) = (1 << 22 + 3, 1 << 23 - 1 + 3)
    while left >= least {
      let copied = min(left, most)
      write(token: 32, &bits)
      bits.write(copied - least, 22)
      write(token: 0, &bits)
      left -= copied
    }
    for _ in 0..<left { write(token: 0, &bits) }
  }

  /// Writes a number of up to 64 bits.
  private static func writeLong(_ value: Int, _ bits: inout BitWriter) {
    bits.write(3, 2)
    bits.write(value & 0xFFF, 12)
    var rest = value >> 12
    while rest > 0 {
      bits.write(1, 1)
      bits.write(rest & 0xFF, 8)
      rest >>= 8
    }
    bits.write(0, 1)
  }
}
