/// JPEG files with expensive scans that contain nothing.
public enum HostileJPEG {
  /// Returns a gray progressive image. After a first scan of DC coefficients, each scan leaves all AC coefficients
  /// unchanged, in the longest possible runs of blocks.
  public static func scans(width: Int, height: Int, count: Int) -> [UInt8] {
    let blocks = ((width + 7) / 8) * ((height + 7) / 8)
    let sides = UInt16(height).bigEndianBytes + UInt16(width).bigEndianBytes
    var file: [UInt8] = [0xFF, 0xD8]
    func put(_ marker: UInt8, _ payload: [UInt8]) {
      file += [0xFF, marker] + UInt16(payload.count + 2).bigEndianBytes + payload
    }
    put(0xDB, [0] + [UInt8](repeating: 1, count: 64))
    put(0xC2, [8] + sides + [1, 1, 0x11, 0])
    // A code of one bit for the difference 0; a code for each run, the longest first.
    put(0xC4, [0, 1] + [UInt8](repeating: 0, count: 15) + [0])
    let lengths = [UInt8](repeating: 1, count: 15) + [0]
    put(0xC4, [0x10] + lengths + (0...14).reversed().map { UInt8($0 << 4) })
    put(0xDA, [1, 1, 0, 0, 0, 0])
    file += [UInt8](repeating: 0, count: blocks / 8) + (blocks % 8 == 0 ? [] : [UInt8(0xFF >> (blocks % 8))])
    let runs = Self.runs(blocks)
    for index in 0..<max(count - 1, 0) {
      let low = UInt8(max(13 - index, 0))
      let high: UInt8 = index == 0 ? 0 : max(low, index <= 13 ? low + 1 : 1)
      put(0xDA, [1, 1, 0, 1, 63, high << 4 | low])
      file += runs
    }
    return file + [0xFF, 0xD9]
  }

  /// Returns a gray or color image with one sequential scan for each component. Every block is gray.
  public static func separateScans(width: Int, height: Int, components: Int) -> [UInt8] {
    let blocks = ((width + 7) / 8) * ((height + 7) / 8)
    let sides = UInt16(height).bigEndianBytes + UInt16(width).bigEndianBytes
    let numbers = (1...components).map { UInt8($0) }
    var file: [UInt8] = [0xFF, 0xD8]
    func put(_ marker: UInt8, _ payload: [UInt8]) {
      file += [0xFF, marker] + UInt16(payload.count + 2).bigEndianBytes + payload
    }
    put(0xDB, [0] + [UInt8](repeating: 1, count: 64))
    let sampling = numbers.flatMap { (number: UInt8) -> [UInt8] in [number, 0x11, 0] }
    put(0xC0, [8] + sides + [UInt8(components)] + sampling)
    // Codes of one bit: for the difference 0, and for the end of a block.
    for table: UInt8 in [0, 0x10] { put(0xC4, [table, 1] + [UInt8](repeating: 0, count: 15) + [0]) }
    var bits = BitString()
    for _ in 0..<blocks { bits.put(0, 2) }
    for number in numbers {
      put(0xDA, [1, number, 0, 0, 63, 0])
      file += bits.stuffed
    }
    return file + [0xFF, 0xD9]
  }

  /// Returns runs of blocks without a coefficient (T.81, G.1.2.2).
  private static func runs(_ blocks: Int) -> [UInt8] {
    var bits = BitString()
    var left = blocks
    while left > 0 {
      let size = min(Int.bitWidth - 1 - left.leadingZeroBitCount, 14)
      let run = min(left, 2 << size - 1)
      // The code of a size: as many ones as there are longer runs, and a zero.
      bits.put((2 << (14 - size)) - 2, 15 - size)
      bits.put(run - 1 << size, size)
      left -= run
    }
    return bits.stuffed
  }
}

/// A string of bits, highest first.
public struct BitString: Sendable {
  private var bits: [Bool] = []

  public init() {}

  public mutating func put(_ value: Int, _ count: Int) {
    for bit in (0..<count).reversed() { bits.append(value >> bit & 1 == 1) }
  }

  /// Appends an Exp-Golomb code (ITU-T H.265, 9.2).
  public mutating func putExponential(_ value: Int) {
    let count = Int.bitWidth - (value + 1).leadingZeroBitCount
    put(0, count - 1)
    put(value + 1, count)
  }

  /// Returns whole bytes, with the last one filled up.
  public func bytes(filledBy fill: Bool) -> [UInt8] {
    stride(from: 0, to: bits.count, by: 8).map { start in
      (start..<start + 8).reduce(0) { $0 << 1 | ((($1 < bits.count ? bits[$1] : fill) ? 1 : 0) as UInt8) }
    }
  }

  /// The bits filled up with ones, with a zero after each 0xFF (T.81, F.1.2.3).
  fileprivate var stuffed: [UInt8] { bytes(filledBy: true).flatMap { $0 == 0xFF ? [0xFF, 0] : [$0] } }
}
