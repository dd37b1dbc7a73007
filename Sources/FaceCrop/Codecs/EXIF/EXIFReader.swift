/// A reader for EXIF directories: the main one, those that it names and ``EXIFTags`` knows, and the thumbnail's
/// position in the second one.
///
/// The bytes are untrusted, so an offset outside ends the reading there. Each directory is read once, and each tag's
/// first entry counts, so that the time is linear in the bytes.
struct EXIFReader {
  let order: ByteOrder
  private let bytes: [UInt8]

  private static let thumbnailOffset = 0x0201
  private static let thumbnailLength = 0x0202

  /// Creates a reader; nil if the bytes do not start like a TIFF structure.
  init?(_ tiff: [UInt8]) {
    guard let kind = TIFFFile.Kind(tiff.span), !kind.isBig else { return nil }
    (order, bytes) = (kind.order, tiff)
  }

  func read(from first: EXIF.Directory) -> (values: [EXIF.Directory: [Int: EXIF.Value]], thumbnail: ArraySlice<UInt8>?)
  {
    var values: [EXIF.Directory: [Int: EXIF.Value]] = [:]
    var offsets: [EXIF.Directory: Int] = [:]
    offsets[first] = bytes.span.uint32(at: 4, order)
    var second: Int?
    // Each directory is named by an earlier one.
    for directory in EXIF.Directory.allCases {
      guard let offset = offsets[directory], offset != 0 else { continue }
      var seen: Set<Int> = []
      let next = forEachEntry(at: offset) { entry in
        guard let form = EXIFTags.form(of: entry.tag, in: directory), seen.insert(entry.tag).inserted else { return }
        if case .directory(let inner) = form {
          offsets[inner] = self.offset(entry)
        } else if let value = value(of: entry, form) {
          values[directory, default: [:]][entry.tag] = value
        }
      }
      if directory == .main { second = next }
    }
    return (values, second.flatMap(thumbnail))
  }

  // MARK: Directories

  private struct Entry {
    var tag: Int
    /// The type; nil for one that no listed tag has.
    var type: EXIF.ValueType?
    var count: Int
    /// The index in `bytes` of the value, or of its offset.
    var index: Int
  }

  /// Calls `body` with each entry, and returns the offset of the next directory; nil for none.
  private func forEachEntry(at directory: Int, _ body: (Entry) -> Void) -> Int? {
    let span = bytes.span
    var index = directory
    guard let entries = span.uint16(at: index, order) else { return nil }
    index += 2
    for _ in 0..<entries {
      guard let tag = span.uint16(at: index, order), let type = span.uint16(at: index + 2, order),
        let count = span.uint32(at: index + 4, order), index + 12 <= span.count
      else { return nil }
      body(Entry(tag: tag, type: EXIF.ValueType(rawValue: type), count: count, index: index + 8))
      index += 12
    }
    return span.uint32(at: index, order)
  }

  /// Returns the range of an entry's value in `bytes`; nil if it lies outside.
  private func range(of entry: Entry) -> Range<Int>? {
    guard let type = entry.type else { return nil }
    let size = entry.count * type.size
    // Up to four bytes fit into the entry.
    let start = size <= 4 ? entry.index : bytes.span.uint32(at: entry.index, order)
    guard let start, size > 0, start + size <= bytes.count else { return nil }
    return start..<start + size
  }

  private func offset(_ entry: Entry) -> Int? {
    guard entry.type == .long || entry.type == .directory, entry.count == 1 else { return nil }
    return bytes.span.uint32(at: entry.index, order)
  }

  private func thumbnail(in directory: Int) -> ArraySlice<UInt8>? {
    guard directory != 0 else { return nil }
    var offset: Int?
    var length: Int?
    _ = forEachEntry(at: directory) { entry in
      if entry.tag == Self.thumbnailOffset, offset == nil { offset = self.offset(entry) }
      if entry.tag == Self.thumbnailLength, length == nil { length = self.offset(entry) }
    }
    guard let offset, let length, length > 0, offset + length <= bytes.count else { return nil }
    return bytes[offset...].prefix(length)
  }

  // MARK: Values

  /// Returns a value if it has the form that its tag requires.
  private func value(of entry: Entry, _ form: EXIFTags.Form) -> EXIF.Value? {
    guard let type = entry.type, let range = range(of: entry) else { return nil }
    switch form {
    case .numbers(let types, let counts):
      guard types.contains(type), counts.contains(entry.count) else { return nil }
      return EXIF.Value(type: type, bytes: bytes.span.copy(range))
    case .text(let limit, let parts):
      guard type == .ascii, let text = EXIFText.ascii(bytes[range].prefix(limit + 1), parts: parts) else { return nil }
      return Self.value(type, text + [0], limit)
    case .comment(let limit):
      guard type == .undefined, let text = EXIFText.comment(bytes[range].prefix(limit + 2), order) else { return nil }
      return Self.value(type, text, limit)
    case .wideText(let limit):
      guard type == .byte, let text = EXIFText.wide(bytes[range].prefix(limit + 2), .littleEndian) else { return nil }
      return Self.value(type, text + [0, 0], limit)
    case .directory: return nil
    }
  }

  /// Returns a text's value; nil if it exceeds the limit. Only slightly more than the limit was read.
  private static func value(_ type: EXIF.ValueType, _ bytes: [UInt8], _ limit: Int) -> EXIF.Value? {
    bytes.count <= limit ? EXIF.Value(type: type, bytes: bytes) : nil
  }
}
