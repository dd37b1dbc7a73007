/// The bytes of a TIFF file and their number format (TIFF 6.0, section 2; BigTIFF, with 64-bit offsets and counts).
struct TIFFFile {
  struct Kind {
    var order: ByteOrder
    var isBig: Bool

    init(_ order: ByteOrder, isBig: Bool = false) { (self.order, self.isBig) = (order, isBig) }

    /// Detects the number format; nil if the bytes are no TIFF file.
    init?(_ bytes: Span<UInt8>) {
      let starts: [(StaticString, ByteOrder, isBig: Bool)] = [
        ("II*\0", .littleEndian, false), ("MM\0*", .bigEndian, false), ("II+\0\u{8}\0\0\0", .littleEndian, true),
        ("MM\0+\0\u{8}\0\0", .bigEndian, true),
      ]
      guard let start = starts.first(where: { bytes.contains($0.0, at: 0) }) else { return nil }
      (order, isBig) = (start.1, start.isBig)
    }
  }

  /// An entry of a directory, with values inside the file.
  struct Entry {
    var type: Int
    var count: Int
    /// The range of its values in the file.
    var values: Range<Int>
  }

  let kind: Kind
  private let bytes: ImageBytes

  init?(_ bytes: ImageBytes) {
    guard let kind = Kind(unsafe bytes.buffer.span) else { return nil }
    self.init(bytes, kind)
  }

  /// Creates a file that resembles TIFF except for its first bytes.
  init(_ bytes: ImageBytes, _ kind: Kind) {
    self.kind = kind
    self.bytes = bytes
  }

  var count: Int { unsafe bytes.buffer.count }

  /// The offset of the first directory.
  var firstDirectory: Int? { offset(at: kind.isBig ? 8 : 4) }

  /// The bytes of a value by type code.
  static let sizes = [
    1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8,
  ]

  /// Returns the declared number of entries of a directory; nil outside the file.
  func entryCount(at directory: Int) -> Int? {
    let span = unsafe bytes.buffer.span
    return kind.isBig ? span.uint64(at: directory, kind.order) : span.uint16(at: directory, kind.order)
  }

  /// Returns the offset of the next directory; nil after the last.
  func directory(after directory: Int) -> Int? {
    guard let count = entryCount(at: directory) else { return nil }
    let (header, bytesPerEntry) = kind.isBig ? (8, 20) : (2, 12)
    let next = offset(at: directory.addingClamped(header).addingClamped(count.multipliedClamped(by: bytesPerEntry)))
    return next == 0 ? nil : next
  }

  /// The upper bound of pages that are counted.
  private static let mostPages = 65_536

  /// Returns the offsets of the directories from a first one on, each once.
  func directories(from first: Int, _ job: Job) throws(FaceCropError) -> [Int] {
    var (found, seen) = ([first], Set([first]))
    while found.count < Self.mostPages, let next = directory(after: found[found.count - 1]), next < count,
      seen.insert(next).inserted
    {
      try job.step()
      found.append(next)
    }
    return found
  }

  /// Reads a directory's entries by tag, in one pass. The first entry of each tag counts, and entries with values
  /// outside the file are skipped.
  func entries(at directory: Int, _ job: Job?) throws(FaceCropError) -> [Int: Entry] {
    let span = unsafe bytes.buffer.span
    guard let number = entryCount(at: directory) else { return [:] }
    let (bytesPerEntry, inline) = kind.isBig ? (20, 8) : (12, 4)
    var place = directory + (kind.isBig ? 8 : 2)
    var entries: [Int: Entry] = [:]
    var seen: Set<Int> = []
    for _ in 0..<number {
      try job?.step()
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

  /// Returns an unsigned integer among an entry's values; nil for other types.
  func number(_ entry: Entry?, at index: Int = 0) -> Int? {
    guard let entry, index < entry.count else { return nil }
    let (start, span) = unsafe (entry.values.lowerBound, bytes.buffer.span)
    return switch entry.type {
    case 1, 7: span.byte(at: start + index).map(Int.init)
    case 3: span.uint16(at: start + 2 * index, kind.order)
    case 4, 13: span.uint32(at: start + 4 * index, kind.order)
    case 16, 18: span.uint64(at: start + 8 * index, kind.order)
    default: nil
    }
  }

  /// Returns an entry's only signed fraction.
  func fraction(_ entry: Entry?) -> Double? {
    guard let entry, entry.type == 10, entry.count == 1 else { return nil }
    let (start, span) = unsafe (entry.values.lowerBound, bytes.buffer.span)
    guard let dividend = span.uint32(at: start, kind.order), let divisor = span.uint32(at: start + 4, kind.order),
      divisor != 0
    else { return nil }
    return Double(Int32(truncatingIfNeeded: dividend)) / Double(Int32(truncatingIfNeeded: divisor))
  }

  func bytes(_ entry: Entry, most: Int = .max) -> [UInt8] { unsafe Array(bytes.buffer[entry.values.prefix(most)]) }

  /// Returns the rest of the file from an offset, with offsets relative to it. Without `kind`, it reads the number
  /// format from a header at the offset.
  func part(from start: Int, _ kind: Kind?) -> TIFFFile? {
    guard start >= 0, start <= count else { return nil }
    let part = unsafe ImageBytes(UnsafeBufferPointer(rebasing: bytes.buffer[start...]), isFileMapping: false)
    return kind.map { TIFFFile(part, $0) } ?? TIFFFile(part)
  }

  func contains(_ text: StaticString, at offset: Int) -> Bool { unsafe bytes.buffer.span.contains(text, at: offset) }

  /// Reads a number with the width of offsets and counts.
  private func offset(at place: Int) -> Int? {
    let span = unsafe bytes.buffer.span
    return kind.isBig ? span.uint64(at: place, kind.order) : span.uint32(at: place, kind.order)
  }
}

extension TIFFFile {
  /// An entry of a directory that is written.
  typealias WrittenEntry = (tag: Int, type: Int, count: Int, bytes: [UInt8])
}

extension TIFFFile.Kind {
  /// Returns a directory for an offset in the file. Short values are in its entries, and the others follow them.
  func directory(_ entries: [TIFFFile.WrittenEntry], at offset: Int) -> [UInt8] {
    let (countWidth, width, alignment) = isBig ? (8, 8, 8) : (2, 4, 2)
    func written(_ number: Int, _ width: Int) -> [UInt8] { [UInt8](number, count: width, order) }
    func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
    let end = offset + countWidth + (4 + 2 * width) * entries.count + width
    var bytes = written(entries.count, countWidth)
    var outside: [UInt8] = []
    for entry in entries.sorted(by: { $0.tag < $1.tag }) {
      bytes += written(entry.tag, 2) + written(entry.type, 2) + written(entry.count, width)
      if entry.bytes.count <= width {
        bytes += entry.bytes + zeros(width - entry.bytes.count)
      } else {
        bytes += written(end + outside.count, width)
        outside += entry.bytes + zeros(-entry.bytes.count & (alignment - 1))
      }
    }
    return bytes + written(0, width) + outside
  }
}
