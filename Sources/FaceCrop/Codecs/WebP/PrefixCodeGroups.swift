/// The number of prefix code groups in a lossless WebP stream (RFC 9649, 3.7), and libwebp's memory for them. It
/// allocates a table for each before the first pixel. Encoders write up to some thousand groups, a stream can request
/// 65,536, and libwebp has no limit.
///
/// The stream is read up to that number, the small images of the transforms included, without storing them. If these
/// are no longer small, the maximum is assumed.
struct PrefixCodeGroups {
  /// The upper bound of groups.
  private(set) var count = 1
  /// The pixels of small images that are still read, with the tables of their codes. Encoders use blocks of 16 pixels and
  /// more, which gives 800,000 pixels for 100 megapixels.
  private var pixelsLeft: Int
  static let mostPixels = 2_000_000
  private var cacheBits = 0
  /// The pixels of small images, which libwebp stores in 4 bytes each.
  private var smallPixels = 0

  /// An upper bound of the bytes for libwebp's tables and small images.
  var bytes: Int { count * (4 * Self.entries[cacheBits] + 600) + 4 * smallPixels }

  /// The entries of a group's five tables, by the bits of its color cache (libwebp, vp8l_dec.c).
  private static let entries = [654, 656, 658, 662, 670, 686, 718, 782, 912, 1_168, 1_680, 2_704].map {
    630 * 3 + 410 + $0
  }

  /// Reads a stream after its header, as in the chunk of an alpha plane; nil if it ends before the number. The read pixels
  /// are taken from `budget`.
  init?(
    of stream: UnsafeBufferPointer<UInt8>, size: PixelSize, budget: inout Int, job: Job
  ) throws(FaceCropError) {
    pixelsLeft = budget
    defer { budget = pixelsLeft }
    var bits = unsafe BitReader(stream)
    var width = size.width
    var seen: Set<Int> = []
    while bits.number(1) == 1 {
      let kind = bits.number(2)
      guard seen.insert(kind).inserted else { throw Self.fault }
      switch kind {
      case 0, 1:
        // The transforms for prediction and colors use blocks.
        _ = try skipBlocks(width, size.height, &bits, job)
      case 3:
        let colors = bits.number(8) + 1
        _ = try skipPicture(colors, &bits, job)
        let packed = colors > 16 ? 1 : colors > 4 ? 2 : colors > 2 ? 4 : 8
        width = (width + packed - 1) / packed
      default: break
      }
      if bits.isAtEnd { return nil }
      if isTooLong { return }
    }
    let cacheBits = try Self.cacheBits(&bits)
    if bits.number(1) == 1 { count = try skipBlocks(width, size.height, &bits, job) }
    if isTooLong { return }
    self.cacheBits = cacheBits
    if bits.isAtEnd { return nil }
  }

  private static let fault = FaceCropError.corrupt("the prefix codes of the pixels are invalid")

  private static func cacheBits(_ bits: inout BitReader) throws(FaceCropError) -> Int {
    guard bits.number(1) == 1 else { return 0 }
    let count = bits.number(4)
    guard (1...11).contains(count) || bits.isAtEnd else { throw fault }
    return bits.isAtEnd ? 0 : count
  }

  /// Skips an image of blocks, which starts with their size.
  private mutating func skipBlocks(
    _ width: Int, _ height: Int, _ bits: inout BitReader, _ job: Job
  ) throws(FaceCropError) -> Int {
    let side = 1 << (bits.number(3) + 2)
    return try skipPicture(((width + side - 1) / side) * ((height + side - 1) / side), &bits, job)
  }

  /// Skips a small image, and returns the number of groups that its pixels name with red and green. Every pixel is a
  /// literal, a copy, or 0 from the color cache.
  private mutating func skipPicture(
    _ pixels: Int, _ bits: inout BitReader, _ job: Job
  ) throws(FaceCropError) -> Int {
    smallPixels += pixels
    let cacheBits = try Self.cacheBits(&bits)
    var codes: [PrefixCode] = []
    for alphabet in [256 + 24 + (cacheBits > 0 ? 1 << cacheBits : 0), 256, 256, 256, 40] {
      guard let code = PrefixCode(reading: &bits, alphabet: alphabet) else {
        if bits.isAtEnd { return 1 }
        throw Self.fault
      }
      codes.append(code)
      pixelsLeft -= code.entries / 8
    }
    var isNamed = [Bool](repeating: false, count: 1 << 16)
    isNamed[0] = cacheBits > 0
    var done = 0
    while done < pixels {
      guard try mayRead(job) else { return count }
      let start = (bits.position, done)
      let green = codes[0].symbol(&bits)
      if green < 256 {
        isNamed[codes[1].symbol(&bits) << 8 | green] = true
        _ = (codes[2].symbol(&bits), codes[3].symbol(&bits))
        done += 1
      } else if green < 256 + 24 {
        let length = Self.copy(green - 256, &bits)
        _ = Self.copy(codes[4].symbol(&bits), &bits)
        guard length <= pixels - done || bits.isAtEnd else { throw Self.fault }
        done += length
      } else {
        done += 1
      }
      if bits.isAtEnd { return 1 }
      // Codes without bits repeat to the end.
      if bits.position == start.0 {
        guard (pixels - done).isMultiple(of: done - start.1) else { throw Self.fault }
        break
      }
    }
    let highest = (isNamed.lastIndex(of: true) ?? 0) + 1
    // libwebp omits unused groups if there are many.
    return highest <= 1_000 ? highest : isNamed.count { $0 }
  }

  private static let pixelsAtOnce = 65_536
  private var isTooLong: Bool { pixelsLeft < 0 }

  /// Returns false after too many pixels, and then assumes the maximum.
  private mutating func mayRead(_ job: Job) throws(FaceCropError) -> Bool {
    pixelsLeft -= 1
    if pixelsLeft.isMultiple(of: Self.pixelsAtOnce) { try job.step(Self.pixelsAtOnce) }
    if isTooLong { (count, cacheBits) = (1 << 16, Self.entries.count - 1) }
    return !isTooLong
  }

  /// Reads a length or a distance (5.2.2).
  private static func copy(_ symbol: Int, _ bits: inout BitReader) -> Int {
    guard symbol >= 4 else { return symbol + 1 }
    let extra = (symbol - 2) >> 1
    return (2 + symbol & 1) << extra + bits.number(extra) + 1
  }
}

/// A prefix code with a lookup table.
private struct PrefixCode {
  /// The symbol for each value of the next `width` bits, with the length of its code in the upper half.
  private var table: [UInt32] = [0]
  private var width = 0

  var entries: Int { table.count }

  /// Reads a code; nil if it is invalid (RFC 9649, 3.7.2), or the stream ends.
  init?(reading bits: inout BitReader, alphabet: Int) {
    var lengths = [UInt8](repeating: 0, count: max(alphabet, 256))
    if bits.number(1) == 1 {
      let hasSecond = bits.number(1) == 1
      lengths[bits.number(bits.number(1) == 0 ? 1 : 8)] = 1
      if hasSecond { lengths[bits.number(8)] = 1 }
      lengths.removeSubrange(alphabet...)
    } else {
      guard let read = Self.lengths(&bits, alphabet: alphabet) else { return nil }
      lengths = read
    }
    self.init(lengths: lengths)
    if bits.isAtEnd { return nil }
  }

  private static let order = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]

  private static func lengths(_ bits: inout BitReader, alphabet: Int) -> [UInt8]? {
    var own = [UInt8](repeating: 0, count: order.count)
    for place in order.prefix(bits.number(4) + 4) { own[place] = UInt8(bits.number(3)) }
    guard let code = PrefixCode(lengths: own) else { return nil }
    var left = alphabet
    if bits.number(1) == 1 {
      left = 2 + bits.number(2 + 2 * bits.number(3))
      guard left <= alphabet else { return nil }
    }
    var lengths: [UInt8] = []
    var previous: UInt8 = 8
    while lengths.count < alphabet, left > 0 {
      left -= 1
      let symbol = code.symbol(&bits)
      if symbol < 16 {
        lengths.append(UInt8(symbol))
        if symbol > 0 { previous = UInt8(symbol) }
      } else {
        let count = [3, 3, 11][symbol - 16] + bits.number([2, 3, 7][symbol - 16])
        guard count <= alphabet - lengths.count else { return nil }
        lengths += [UInt8](repeating: symbol == 16 ? previous : 0, count: count)
      }
      if bits.isAtEnd { return nil }
    }
    return lengths + [UInt8](repeating: 0, count: alphabet - lengths.count)
  }

  /// Creates a code; nil unless it is complete. A single symbol takes no bits.
  private init?(lengths: [UInt8]) {
    let longest = Int(lengths.max() ?? 0)
    let used = lengths.count { $0 > 0 }
    guard used > 0 else { return nil }
    if used == 1 {
      table = [UInt32(lengths.firstIndex { $0 > 0 }!)]
      return
    }
    guard lengths.reduce(0, { $1 > 0 ? $0 + 1 << (longest - Int($1)) : $0 }) == 1 << longest else { return nil }
    width = longest
    table = [UInt32](repeating: 0, count: 1 << longest)
    var code = 0
    for length in 1...longest {
      for (symbol, own) in lengths.enumerated() where own == length {
        // The first bit of a code is the lowest.
        let start = (0..<length).reduce(0) { $0 | (code >> $1 & 1) << (length - 1 - $1) }
        for place in stride(from: start, to: table.count, by: 1 << length) {
          table[place] = UInt32(length) << 16 | UInt32(symbol)
        }
        code += 1
      }
      code <<= 1
    }
  }

  func symbol(_ bits: inout BitReader) -> Int {
    let entry = table[bits.next(width)]
    bits.skip(Int(entry >> 16))
    return Int(entry & 0xFFFF)
  }
}

/// A reader for bits, the lowest of a byte first. After the end they are zeros.
@safe private struct BitReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var window: UInt64 = 0
  /// The number of bits in the window.
  private var count = 0
  private var offset = 0
  /// Whether bits were read after the end.
  private(set) var isAtEnd = false

  /// The number of bits read.
  var position: Int { 8 * offset - count }

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    unsafe self.bytes = bytes
  }

  /// Returns up to 24 of the next bits without consuming them.
  mutating func next(_ width: Int) -> Int {
    while count < width, unsafe offset < bytes.count {
      unsafe window |= UInt64(bytes[offset]) << UInt64(count)
      offset += 1
      count += 8
    }
    return Int(window & (1 << UInt64(width) - 1))
  }

  mutating func skip(_ width: Int) {
    isAtEnd = isAtEnd || width > count
    window >>= UInt64(width)
    count = max(count - width, 0)
  }

  mutating func number(_ width: Int) -> Int {
    defer { skip(width) }
    return next(width)
  }
}
