/// A reader for EXIF directories: the main one, those that it names and ``EXIFTags`` knows, and the thumbnail's
/// position in the second one.
///
/// The bytes are untrusted, so an offset outside ends the reading there. Each directory is read once, and each tag's
/// first entry counts, so that the time is linear in the bytes.
struct EXIFReader {
  typealias Content = (values: [EXIF.Directory: [Int: EXIF.Value]], thumbnail: Range<Int>?)

  let file: TIFFFile

  func read(from first: EXIF.Directory) -> Content {
    var content: Content = ([:], nil)
    var offsets = [first: file.firstDirectory]
    // Each directory is named by an earlier one.
    for directory in EXIF.Directory.allCases {
      guard let offset = offsets[directory] ?? nil, offset != 0 else { continue }
      for (tag, entry) in (try? file.entries(at: offset, nil)) ?? [:] {
        guard let form = EXIFTags.form(of: tag, in: directory) else { continue }
        if case .directory(let inner) = form {
          offsets[inner] = self.offset(entry)
        } else if let value = value(of: entry, form) {
          content.values[directory, default: [:]][tag] = value
        }
      }
      if directory == .main { content.thumbnail = file.directory(after: offset).flatMap(thumbnail) }
    }
    return content
  }

  private func thumbnail(in directory: Int) -> Range<Int>? {
    guard let entries = try? file.entries(at: directory, nil),
      let start = entries[TIFFTag.jpegOffset].flatMap(offset), let length = entries[TIFFTag.jpegLength].flatMap(offset),
      length > 0, start + length <= file.count
    else { return nil }
    return start..<start + length
  }

  private func offset(_ entry: TIFFFile.Entry) -> Int? {
    guard [.long, .directory].contains(EXIF.ValueType(rawValue: entry.type)), entry.count == 1 else { return nil }
    return file.number(entry)
  }

  // MARK: Values

  /// Returns a value if it has the form that its tag requires.
  private func value(of entry: TIFFFile.Entry, _ form: EXIFTags.Form) -> EXIF.Value? {
    guard let type = EXIF.ValueType(rawValue: entry.type) else { return nil }
    func start(_ most: Int) -> ArraySlice<UInt8> { file.bytes(entry, most: most)[...] }
    switch form {
    case .numbers(let types, let counts):
      guard types.contains(type), counts.contains(entry.count) else { return nil }
      return EXIF.Value(type: type, bytes: file.bytes(entry))
    case .text(let limit, let parts):
      guard type == .ascii, let text = EXIFText.ascii(start(limit + 1), parts: parts) else { return nil }
      return Self.value(type, text + [0], limit)
    case .comment(let limit):
      guard type == .undefined, let text = EXIFText.comment(start(limit + 2), file.kind.order) else { return nil }
      return Self.value(type, text, limit)
    case .wideText(let limit):
      guard type == .byte, let text = EXIFText.wide(start(limit + 2), .littleEndian) else { return nil }
      return Self.value(type, text + [0, 0], limit)
    case .directory: return nil
    }
  }

  /// Returns a text's value; nil if it exceeds the limit. Only slightly more than the limit was read.
  private static func value(_ type: EXIF.ValueType, _ bytes: [UInt8], _ limit: Int) -> EXIF.Value? {
    bytes.count <= limit ? EXIF.Value(type: type, bytes: bytes) : nil
  }
}
