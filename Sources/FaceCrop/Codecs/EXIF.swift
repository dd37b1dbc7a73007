/// The tags of an EXIF segment that a crop depends on (CIPA DC-008; TIFF 6.0, section 2), read and rewritten in place.
///
/// The bytes are untrusted: an offset that leads outside ends the reading there, never the process.
struct EXIF {
  /// "Exif\0\0" and the TIFF structure.
  private(set) var bytes: [UInt8]
  private let order: ByteOrder

  /// What JPEG puts before the TIFF structure.
  static let prefix = Array("Exif\0\0".utf8)
  /// Offsets in the TIFF structure count from here.
  private static let origin = prefix.count

  private enum Tag {
    static let imageWidth = 0x0100
    static let imageLength = 0x0101
    static let orientation = 0x0112
    static let artist = 0x013B
    static let thumbnailOffset = 0x0201
    static let thumbnailLength = 0x0202
    static let dateTime = 0x0132
    static let copyright = 0x8298
    static let exifDirectory = 0x8769
    static let dateTimeOriginal = 0x9003
    static let offsetTimeOriginal = 0x9011
    static let makerNote = 0x927C
    static let subSecondsOriginal = 0x9291
    static let pixelWidth = 0xA002
    static let pixelHeight = 0xA003
  }

  /// Nil when the bytes do not begin like EXIF data.
  init?(_ payload: [UInt8]) {
    let span = payload.span
    guard span.contains("Exif\0\0", at: 0) else { return nil }
    if span.contains("II*\0", at: Self.origin) {
      order = .littleEndian
    } else if span.contains("MM\0*", at: Self.origin) {
      order = .bigEndian
    } else {
      return nil
    }
    bytes = payload
  }

  /// `up` when the tag is missing or holds no value from 1 to 8.
  var orientation: Orientation {
    guard let entry = entry(Tag.orientation, in: firstDirectory), let value = number(entry) else { return .up }
    return Orientation(rawValue: value) ?? .up
  }

  /// When the picture was taken or, where that is missing, when the file was made, in seconds since 1970 UTC; nil when neither
  /// says so. A camera that does not name its time zone is taken to be in UTC's.
  var captureTime: Double? {
    if let exif = entry(Tag.exifDirectory, in: firstDirectory).flatMap(number),
      let time = text(Tag.dateTimeOriginal, in: exif).flatMap(Self.seconds)
    {
      let offset = text(Tag.offsetTimeOriginal, in: exif).flatMap(Self.offset) ?? 0
      let digits = text(Tag.subSecondsOriginal, in: exif)?.prefix { (48...57).contains($0) } ?? []
      let fraction = digits.prefix(9).reversed().reduce(0.0) { ($0 + Double($1 - 48)) / 10 }
      return time - offset + fraction
    }
    return text(Tag.dateTime, in: firstDirectory).flatMap(Self.seconds)
  }

  /// Of "YYYY:MM:DD HH:MM:SS".
  private static func seconds(_ text: [UInt8]) -> Double? {
    let parts = text.dropLast().split { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: " ") }
    let numbers = parts.compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    guard parts.count == 6, numbers.count == 6, (1...9_999).contains(numbers[0]), (1...12).contains(numbers[1]),
      (1...31).contains(numbers[2]), (0...23).contains(numbers[3]), (0...59).contains(numbers[4]),
      (0...60).contains(numbers[5])
    else { return nil }
    // Days since 1970-01-01 in the Gregorian calendar, years beginning in March, so that the leap day is the last.
    let year = numbers[1] > 2 ? numbers[0] : numbers[0] - 1
    let month = (numbers[1] + 9) % 12
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + numbers[2] - 719_469
    return Double(days * 86_400 + numbers[3] * 3_600 + numbers[4] * 60 + numbers[5])
  }

  /// Of "+HH:MM", in seconds.
  private static func offset(_ text: [UInt8]) -> Double? {
    let text = String(decoding: text.dropLast(), as: UTF8.self)
    guard let sign = ["+": 1.0, "-": -1.0][text.prefix(1)] else { return nil }
    let numbers = text.dropFirst().split(separator: ":").compactMap { Int($0) }
    guard numbers.count == 2, (0...14).contains(numbers[0]), (0...59).contains(numbers[1]) else { return nil }
    return sign * Double(numbers[0] * 3_600 + numbers[1] * 60)
  }

  /// The embedded preview's bytes; nil when there is none, or it lies outside.
  var thumbnail: ArraySlice<UInt8>? {
    let link = Self.origin + firstDirectory + 2 + 12 * entryCount(of: firstDirectory)
    guard firstDirectory != 0, let second = bytes.span.uint32(at: link, order), second != 0,
      let offset = entry(Tag.thumbnailOffset, in: second).flatMap(number),
      let length = entry(Tag.thumbnailLength, in: second).flatMap(number), length > 0,
      Self.origin + offset + length <= bytes.count
    else { return nil }
    return bytes[(Self.origin + offset)...].prefix(length)
  }

  /// What of the data goes into a crop.
  ///
  /// - Parameters:
  ///   - size: of the crop as stored.
  ///   - orientation: how its pixels are to be turned; the only thing that is left under ``MetadataPolicy/strip``.
  func kept(by policy: MetadataPolicy, size: PixelSize, orientation: Orientation = .up) -> [UInt8]? {
    switch policy {
    case .strip: Self.new(orientation: orientation)
    case .copyright:
      Self.new(
        orientation: orientation,
        texts: [Tag.artist, Tag.copyright].compactMap { tag in text(tag, in: firstDirectory).map { (tag, $0) } })
    case .keep: forCrop(of: size, orientation: orientation)
    }
  }

  /// The data for a crop: orientation and sizes true, no thumbnail.
  ///
  /// Values are overwritten where they stand, so that nothing moves to which a maker's note may point. Only a maker's
  /// note that holds a picture itself is taken out. Of data whose parts overlap, so that one change undoes another, nothing but
  /// the orientation is kept; no camera writes such.
  private func forCrop(of size: PixelSize, orientation: Orientation) -> [UInt8]? {
    let crop = rewritten(size, orientation)
    let isTrue = crop.orientation == orientation && crop.rewritten(size, orientation).bytes == crop.bytes
    return isTrue ? crop.bytes : Self.new(orientation: orientation)
  }

  /// New data with nothing else; nil when there is nothing to say.
  ///
  /// - Parameter texts: in ascending order of tags, each with the zero at its end.
  private static func new(orientation: Orientation, texts: [(tag: Int, text: [UInt8])] = []) -> [UInt8]? {
    func number(_ value: Int, bytes: Int) -> [UInt8] {
      (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    func entry(_ tag: Int, type: Int, count: Int, value: [UInt8]) -> [UInt8] {
      // Up to four bytes stand in the entry itself.
      number(tag, bytes: 2) + number(type, bytes: 2) + number(count, bytes: 4) + value
        + [UInt8](repeating: 0, count: 4 - value.count)
    }
    let isTurned = orientation != .up
    let count = texts.count + (isTurned ? 1 : 0)
    guard count > 0 else { return nil }
    var directory = number(count, bytes: 2)
    if isTurned {
      directory += entry(Tag.orientation, type: 3, count: 1, value: number(orientation.rawValue, bytes: 2))
    }
    var values: [UInt8] = []
    let valuesOffset = 8 + 2 + 12 * count + 4
    for (tag, text) in texts {
      let isShort = text.count <= 4
      directory += entry(
        tag, type: 2, count: text.count, value: isShort ? text : number(valuesOffset + values.count, bytes: 4))
      // Values begin at even offsets (TIFF 6.0, section 2).
      if !isShort { values += text + (text.count.isMultiple(of: 2) ? [] : [0]) }
    }
    return prefix + Array("MM\0*".utf8) + number(8, bytes: 4) + directory + number(0, bytes: 4) + values
  }

  // MARK: Directories, by their offsets in the TIFF structure

  private struct Entry {
    /// Index of its first byte in `bytes`.
    var index: Int
    var type: Int
    var count: Int
  }

  private var firstDirectory: Int { bytes.span.uint32(at: Self.origin + 4, order) ?? 0 }

  private func entryCount(of directory: Int) -> Int {
    directory == 0 ? 0 : bytes.span.uint16(at: Self.origin + directory, order) ?? 0
  }

  private func entry(_ tag: Int, in directory: Int) -> Entry? {
    let span = bytes.span
    for position in 0..<entryCount(of: directory) {
      let index = Self.origin + directory + 2 + 12 * position
      guard let found = span.uint16(at: index, order), let type = span.uint16(at: index + 2, order),
        let count = span.uint32(at: index + 4, order), index + 12 <= span.count
      else { return nil }
      if found == tag { return Entry(index: index, type: type, count: count) }
    }
    return nil
  }

  /// A single value of type SHORT or LONG.
  private func number(_ entry: Entry) -> Int? {
    guard entry.count == 1 else { return nil }
    switch entry.type {
    case 3: return bytes.span.uint16(at: entry.index + 8, order)
    case 4: return bytes.span.uint32(at: entry.index + 8, order)
    default: return nil
    }
  }

  /// The bytes of a text, the zero at its end included; nil when it is empty, of another type, or longer than any name.
  private func text(_ tag: Int, in directory: Int) -> [UInt8]? {
    guard let entry = entry(tag, in: directory), entry.type == 2, (2...4_096).contains(entry.count) else { return nil }
    let value = entry.index + 8
    let start = entry.count <= 4 ? value : bytes.span.uint32(at: value, order).map { Self.origin + $0 }
    guard let start, start + entry.count <= bytes.count else { return nil }
    return bytes[start..<start + entry.count].dropLast() + [0]
  }

  // MARK: Rewriting

  private func rewritten(_ size: PixelSize, _ orientation: Orientation) -> EXIF {
    var copy = self
    copy.setNumber(Tag.orientation, orientation.rawValue, in: firstDirectory)
    copy.setNumber(Tag.imageWidth, size.width, in: firstDirectory)
    copy.setNumber(Tag.imageLength, size.height, in: firstDirectory)
    if let exif = entry(Tag.exifDirectory, in: firstDirectory).flatMap(number) {
      copy.setNumber(Tag.pixelWidth, size.width, in: exif)
      copy.setNumber(Tag.pixelHeight, size.height, in: exif)
      copy.removePreview(in: exif)
    }
    copy.removeThumbnail()
    return copy
  }

  private mutating func setNumber(_ tag: Int, _ value: Int, in directory: Int) {
    guard let entry = entry(tag, in: directory), entry.count == 1, entry.type == 3 || entry.type == 4 else { return }
    let width = entry.type == 3 ? 2 : 4
    for place in 0..<width {
      let shift = 8 * (order == .bigEndian ? width - 1 - place : place)
      bytes[entry.index + 8 + place] = UInt8(truncatingIfNeeded: value >> shift)
    }
  }

  private mutating func clear(_ range: Range<Int>) {
    for index in range.clamped(to: Self.origin + 8..<max(bytes.count, Self.origin + 8)) { bytes[index] = 0 }
  }

  /// Unlinks the second directory and clears it with the picture that it describes.
  private mutating func removeThumbnail() {
    let link = Self.origin + firstDirectory + 2 + 12 * entryCount(of: firstDirectory)
    guard firstDirectory != 0, let second = bytes.span.uint32(at: link, order), second != 0 else { return }
    let picture = entry(Tag.thumbnailOffset, in: second).flatMap(number)
    let length = entry(Tag.thumbnailLength, in: second).flatMap(number)
    let directoryEnd = Self.origin + second + 2 + 12 * entryCount(of: second) + 4
    clear(Self.origin + second..<directoryEnd)
    clear(link..<link + 4)
    guard let picture, let length else { return }
    let start = Self.origin + picture
    clear(start..<start + length)
    // It is usually the last thing there; then its room goes too.
    if start >= directoryEnd, start < bytes.count, start + length >= bytes.count {
      bytes.removeSubrange(start...)
    }
  }

  /// Takes out a maker's note in which a JPEG file begins.
  private mutating func removePreview(in directory: Int) {
    guard let note = entry(Tag.makerNote, in: directory), note.count > 4,
      let offset = bytes.span.uint32(at: note.index + 8, order)
    else { return }
    let start = Self.origin + offset
    let range = (start..<start + note.count).clamped(to: 0..<bytes.count)
    let holdsPicture = range.dropLast(2).contains { index in
      bytes[index] == 0xFF && bytes[index + 1] == 0xD8 && bytes[index + 2] == 0xFF
    }
    guard holdsPicture else { return }
    clear(range)
    // Type 7 (undefined), no bytes: a note that is empty.
    clear(note.index + 4..<note.index + 12)
  }
}
