extension Array<UInt8> {
  /// Creates the four bytes of a big-endian number.
  init(bigEndian number: Int) { self.init(number, count: 4, .bigEndian) }

  /// Creates the lowest `count` bytes of a number.
  init(_ number: Int, count: Int, _ order: ByteOrder) {
    self = (0..<count).map { place in
      UInt8(truncatingIfNeeded: number >> (8 * (order == .littleEndian ? place : count - 1 - place)))
    }
  }
}

enum ByteOrder {
  case bigEndian, littleEndian
}

/// Reading numbers from untrusted bytes. Offsets outside give nil, never a trap.
extension Span where Element == UInt8 {
  func byte(at offset: Int) -> UInt8? {
    offset >= 0 && offset < count ? self[offset] : nil
  }

  func uint16(at offset: Int, _ order: ByteOrder = .bigEndian) -> Int? {
    guard offset >= 0, offset <= count - 2 else { return nil }
    let (first, second) = (Int(self[offset]), Int(self[offset + 1]))
    return order == .bigEndian ? first << 8 | second : second << 8 | first
  }

  func uint32(at offset: Int, _ order: ByteOrder = .bigEndian) -> Int? {
    guard offset >= 0, offset <= count - 4 else { return nil }
    let high = uint16(at: order == .bigEndian ? offset : offset + 2, order)
    let low = uint16(at: order == .bigEndian ? offset + 2 : offset, order)
    guard let high, let low else { return nil }
    return high << 16 | low
  }

  /// Returns a 64-bit number; nil also for one that exceeds any file's size.
  func uint64(at offset: Int, _ order: ByteOrder = .bigEndian) -> Int? {
    guard offset <= count - 8, let high = uint32(at: order == .bigEndian ? offset : offset + 4, order),
      let low = uint32(at: order == .bigEndian ? offset + 4 : offset, order), high < 1 << 30
    else { return nil }
    return high << 32 | low
  }

  /// Returns whether `text` starts at `offset`.
  func contains(_ text: StaticString, at offset: Int) -> Bool {
    guard offset >= 0, offset <= count - text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { characters in
      characters.indices.allSatisfy { unsafe characters[$0] == self[offset + $0] }
    }
  }

  func starts(with signature: [UInt8], at offset: Int = 0) -> Bool {
    signature.indices.allSatisfy { byte(at: offset + $0) == signature[$0] }
  }

  func withBuffer<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(FaceCropError) -> Result
  ) throws(FaceCropError) -> Result {
    // `withUnsafeBufferPointer` does not combine typed errors with spans, so the result is carried out as a value.
    let outcome: Swift.Result<Result, FaceCropError> = unsafe withUnsafeBufferPointer { bytes in
      Swift.Result { () throws(FaceCropError) in try unsafe body(bytes) }
    }
    return try outcome.get()
  }

  /// Copies the bytes in `range`, which must lie inside.
  func copy(_ range: Range<Int>) -> [UInt8] {
    unsafe extracting(range).withUnsafeBufferPointer { unsafe Array($0) }
  }
}
