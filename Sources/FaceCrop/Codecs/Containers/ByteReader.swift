/// A reader for successive big-endian fields in a range of untrusted bytes.
struct ByteReader {
  private let bytes: [UInt8]
  private(set) var offset: Int
  let end: Int

  init(_ bytes: [UInt8]) {
    self.init(bytes, 0..<bytes.count)
  }

  private init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    offset = range.lowerBound
    end = range.upperBound
  }

  var remaining: Int { end - offset }
  /// The unread bytes.
  var rest: [UInt8] { Array(bytes[offset..<end]) }

  /// Returns up to `count` of the unread bytes.
  func start(_ count: Int) -> [UInt8] { Array(bytes[offset..<min(offset + count, end)]) }

  /// Reads a number of 0 to 8 bytes.
  mutating func number(_ width: Int) throws(FaceCropError) -> Int {
    guard width <= remaining else { throw .corrupt("a box is shorter than its content") }
    var value: UInt64 = 0
    for byte in bytes[offset..<offset + width] { value = value << 8 | UInt64(byte) }
    offset += width
    guard let value = Int(exactly: value) else { throw .corrupt("a number in a box is too large") }
    return value
  }

  /// Returns a reader for the next `count` bytes.
  mutating func part(_ count: Int) throws(FaceCropError) -> ByteReader {
    guard count >= 0, count <= remaining else { throw .corrupt("a box is longer than its container") }
    defer { offset += count }
    return ByteReader(bytes, offset..<offset + count)
  }

  /// Returns whether the bytes up to a zero, or to the end, equal `text`.
  func isText(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    return text.withUTF8Buffer { unsafe bytes[offset..<end].starts(with: $0) }
      && (remaining == count || bytes[offset + count] == 0)
  }

  /// Skips a text and its terminating zero.
  mutating func skipText() {
    offset = min((bytes[offset..<end].firstIndex(of: 0) ?? end) + 1, end)
  }

  /// Reads the version and flags of a "full" box.
  mutating func version() throws(FaceCropError) -> (version: Int, flags: Int) {
    (try number(1), try number(3))
  }

  /// Reads the next box; nil at the end.
  mutating func box() throws(FaceCropError) -> Box? {
    guard remaining >= 8 else { return nil }
    let start = offset
    var size = try number(4)
    let type = FourCharacterCode(value: UInt32(try number(4)))
    if size == 1 { size = try number(8) }
    if size == 0 { size = end - start }
    return Box(type: type, content: try part(size - (offset - start)))
  }

  /// Reads all boxes to the end. Real files have at most a few thousand.
  mutating func boxes() throws(FaceCropError) -> [Box] {
    var boxes: [Box] = []
    while let box = try box() {
      boxes.append(box)
      if boxes.count > 20_000 { throw .unsupported("a box contains more than 20000 boxes") }
    }
    return boxes
  }
}

/// A box of an ISO base media file (ISO/IEC 14496-12, 4.2).
struct Box {
  var type: FourCharacterCode
  var content: ByteReader
}

struct FourCharacterCode: Hashable, CustomStringConvertible {
  let value: UInt32

  var bytes: [UInt8] { (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) } }
  var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension FourCharacterCode: ExpressibleByStringLiteral {
  init(stringLiteral text: StaticString) {
    precondition(text.utf8CodeUnitCount == 4, "four characters")
    value = text.withUTF8Buffer { unsafe $0.reduce(0) { $0 << 8 | UInt32($1) } }
  }
}
