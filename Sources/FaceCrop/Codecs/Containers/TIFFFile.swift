/// A TIFF file's bytes and how its numbers are stored (TIFF 6.0, section 2; BigTIFF, of which offsets and counts have 64 bits).
struct TIFFFile {
  struct Kind {
    var order: ByteOrder
    var isBig = false

    init(_ order: ByteOrder) { self.order = order }

    /// Nil when a file does not begin like this.
    init?(_ bytes: Span<UInt8>) {
      if bytes.contains("II*\0", at: 0) {
        (order, isBig) = (.littleEndian, false)
      } else if bytes.contains("MM\0*", at: 0) {
        (order, isBig) = (.bigEndian, false)
      } else if bytes.contains("II+\0\u{8}\0\0\0", at: 0) {
        (order, isBig) = (.littleEndian, true)
      } else if bytes.contains("MM\0+\0\u{8}\0\0", at: 0) {
        (order, isBig) = (.bigEndian, true)
      } else {
        return nil
      }
    }
  }

  /// An entry of a directory whose values lie inside of the file.
  struct Entry {
    var type: Int
    var count: Int
    /// Where its values are in the file.
    var values: Range<Int>
  }

  let kind: Kind
  private let bytes: ImageBytes

  init?(_ bytes: ImageBytes) {
    guard let kind = Kind(unsafe bytes.buffer.span) else { return nil }
    self.init(bytes, kind)
  }

  /// Of a file that is like TIFF in all but its first bytes.
  init(_ bytes: ImageBytes, _ kind: Kind) {
    self.kind = kind
    self.bytes = bytes
  }

  var count: Int { unsafe bytes.buffer.count }

  /// The first directory's offset.
  var firstDirectory: Int? { offset(at: kind.isBig ? 8 : 4) }

  /// Bytes of a value of each type, by its code.
  private static let sizes = [
    1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8,
  ]

  /// How many entries a directory says it has; nil where none is.
  func entryCount(at directory: Int) -> Int? {
    unsafe kind.isBig ? uint64(at: directory) : bytes.buffer.span.uint16(at: directory, kind.order)
  }

  /// The offset of the directory that follows one; nil where none does.
  func directory(after directory: Int) -> Int? {
    guard let count = entryCount(at: directory) else { return nil }
    let (header, bytesPerEntry) = kind.isBig ? (8, 20) : (2, 12)
    let next = offset(at: directory.addingClamped(header).addingClamped(count.multipliedClamped(by: bytesPerEntry)))
    return next == 0 ? nil : next
  }

  /// A directory's entries by tag, of each tag the first; those with values outside of the file are left out. It is gone over once.
  func entries(at directory: Int, _ job: Job) throws(FaceCropError) -> [Int: Entry] {
    let span = unsafe bytes.buffer.span
    guard let number = entryCount(at: directory) else { return [:] }
    let (bytesPerEntry, inline) = kind.isBig ? (20, 8) : (12, 4)
    var place = directory + (kind.isBig ? 8 : 2)
    var entries: [Int: Entry] = [:]
    var seen: Set<Int> = []
    for _ in 0..<number {
      try job.step()
      guard place <= span.count - bytesPerEntry, let tag = span.uint16(at: place, kind.order),
        let type = span.uint16(at: place + 2, kind.order), let count = offset(at: place + 4)
      else { break }
      let value = place + bytesPerEntry - inline
      place += bytesPerEntry
      guard seen.insert(tag).inserted, let size = Self.sizes[type], count > 0 else { continue }
      let length = count.multipliedClamped(by: size)
      guard let start = length <= inline ? value : offset(at: value), start >= 0, start <= span.count,
        length <= span.count - start
      else { continue }
      entries[tag] = Entry(type: type, count: count, values: start..<start + length)
    }
    return entries
  }

  /// A number among an entry's values; nil where there is none, or a fraction or a sign may be.
  func number(_ entry: Entry?, at index: Int = 0) -> Int? {
    guard let entry, index < entry.count else { return nil }
    let (start, span) = unsafe (entry.values.lowerBound, bytes.buffer.span)
    return switch entry.type {
    case 1, 7: span.byte(at: start + index).map(Int.init)
    case 3: span.uint16(at: start + 2 * index, kind.order)
    case 4, 13: span.uint32(at: start + 4 * index, kind.order)
    case 16, 18: uint64(at: start + 8 * index)
    default: nil
    }
  }

  /// An entry's only fraction with signs.
  func fraction(_ entry: Entry?) -> Double? {
    guard let entry, entry.type == 10, entry.count == 1 else { return nil }
    let (start, span) = unsafe (entry.values.lowerBound, bytes.buffer.span)
    guard let dividend = span.uint32(at: start, kind.order), let divisor = span.uint32(at: start + 4, kind.order),
      divisor != 0
    else { return nil }
    return Double(Int32(truncatingIfNeeded: dividend)) / Double(Int32(truncatingIfNeeded: divisor))
  }

  /// All bytes of an entry's values.
  func bytes(_ entry: Entry) -> [UInt8] { unsafe Array(bytes.buffer[entry.values]) }

  /// What lies behind a place, whose offsets count from there.
  ///
  /// - Parameter kind: the order of its numbers; nil where a header of its own says it, which has to be there.
  func part(from start: Int, _ kind: Kind?) -> TIFFFile? {
    guard start >= 0, start <= count else { return nil }
    let part = unsafe ImageBytes(UnsafeBufferPointer(rebasing: bytes.buffer[start...]), isFileMapping: false)
    return kind.map { TIFFFile(part, $0) } ?? TIFFFile(part)
  }

  /// Whether a text is at that place.
  func contains(_ text: StaticString, at offset: Int) -> Bool { unsafe bytes.buffer.span.contains(text, at: offset) }

  /// A number of the width of offsets and counts.
  private func offset(at place: Int) -> Int? {
    unsafe kind.isBig ? uint64(at: place) : bytes.buffer.span.uint32(at: place, kind.order)
  }

  /// Nil also when it is larger than any file.
  private func uint64(at place: Int) -> Int? {
    let span = unsafe bytes.buffer.span
    let isBigEndian = kind.order == .bigEndian
    guard let high = span.uint32(at: isBigEndian ? place : place + 4, kind.order),
      let low = span.uint32(at: isBigEndian ? place + 4 : place, kind.order), high < 1 << 30
    else { return nil }
    return high << 32 | low
  }
}
