extension ICCTags {
  /// Returns the profile with only the tags that colors need, and only the bytes of them that have a meaning, because
  /// all others can hide an image. A profile without such bytes stays as it is.
  func cleaned(for space: ICCProfile.Space) -> [UInt8] {
    var kept: [(code: Int, data: [UInt8])] = []
    for (code, range) in tags where !kept.contains(where: { $0.code == code }) {
      guard let data = contents(of: code, range, space) else { continue }
      // Tags that share their data do not need it twice in memory.
      kept.append((code, kept.first { $0.data == data }?.data ?? data))
    }
    let isSame = zip(kept, tags).allSatisfy { new, old in bytes[old.range].elementsEqual(new.data) }
    return kept.count == tags.count && isSame && !hasGaps ? bytes : profile(of: kept)
  }

  /// Whether bytes without a meaning are in the header, or between tags: more than the alignment needs, or not zero.
  private var hasGaps: Bool {
    var end = tableEnd
    // The last bytes of the header are reserved.
    var gaps = [100..<Self.headerBytes]
    for range in tags.map(\.range).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if range.lowerBound > end { gaps.append(end..<range.lowerBound) }
      end = max(end, range.upperBound)
    }
    if end < bytes.count { gaps.append(end..<bytes.count) }
    return gaps.dropFirst().contains { $0.count > 3 } || gaps.contains { bytes[$0].contains { $0 != 0 } }
  }

  // MARK: Tags

  /// The tags with numbers (ICC.1:2022, 9.2), and those of earlier versions of the specification.
  private static let numbers = codes([
    "rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", "kTRC", "wtpt", "bkpt", "lumi", "chad", "chrm", "cicp", "meas",
    "view", "tech", "calt",
  ])
  private static let texts = codes(["desc", "cprt", "dmnd", "dmdd", "vued"])
  private static let tablesOfDevice = codes(["A2B0", "A2B1", "A2B2"])
  private static let tablesToDevice = codes(["B2A0", "B2A1", "B2A2"])

  private static func codes(_ signatures: [StaticString]) -> Set<Int> { Set(signatures.map(code)) }

  /// Returns a tag's data without bytes that have no meaning; nil for another tag or type.
  private func contents(of code: Int, _ range: Range<Int>, _ space: ICCProfile.Space) -> [UInt8]? {
    if Self.texts.contains(code) { return ICCText(bytes, range)?.data }
    let span = bytes.span
    let parts: [Range<Int>]?
    if Self.numbers.contains(code) {
      let isCorbis = span.uint32(at: range.lowerBound) == ICCModel.corbisColor
      let fixed = isCorbis ? 20 : Self.lengths.first { span.contains($0.type, at: range.lowerBound) }?.length
      let count = fixed ?? ToneCurve.byteCount(span, range)
      parts = count.flatMap { $0 <= range.count ? [range.lowerBound..<range.lowerBound + $0] : nil }
    } else if Self.tablesOfDevice.contains(code) {
      parts = ICCTable.parts(span, range, channels: space.channels, isFromDevice: true)
    } else if Self.tablesToDevice.contains(code) {
      parts = ICCTable.parts(span, range, channels: space.channels, isFromDevice: false)
    } else {
      parts = nil
    }
    guard let parts, let end = parts.map(\.upperBound).max() else { return nil }
    var data = [UInt8](repeating: 0, count: end - range.lowerBound)
    for part in parts {
      data.replaceSubrange(part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound, with: bytes[part])
    }
    // Every type has four reserved bytes.
    data.replaceSubrange(4..<8, with: [0, 0, 0, 0])
    return data
  }

  /// The types whose values all have one length (10).
  private static let lengths: [(type: StaticString, length: Int)] = [
    ("XYZ ", 20), ("sf32", 44), ("chrm", 36), ("cicp", 12), ("meas", 36), ("view", 36), ("sig ", 12), ("dtim", 20),
  ]
}

/// A short text of a profile: a `text`, `desc` or `mluc` tag (ICC.1:2022, 10.15 and 10.24; ICC.1:2001, 6.5.17).
struct ICCText {
  let characters: [UInt16]
  /// The tag with this text only.
  let data: [UInt8]

  /// The upper bound of the characters. Real descriptions and copyrights have 100.
  private static let longest = 256

  /// Reads the text of a tag; nil if it is too long, or no text. A later version's tag can have several languages; the
  /// first one counts.
  init?(_ bytes: [UInt8], _ tag: Range<Int>) {
    let bytes = Array(bytes[tag])
    let span = bytes.span
    var data = Array(bytes[..<4]) + [0, 0, 0, 0]
    if span.contains("text", at: 0) {
      guard let text = Self.text(in: span, 8..<bytes.count, width: 1) else { return nil }
      data += text.map { UInt8($0) } + [0]
      characters = text
    } else if span.contains("desc", at: 0) {
      guard let count = span.uint32(at: 8), let text = Self.text(in: span, 12..<12 + count, width: 1) else {
        return nil
      }
      let ascii = text.map { UInt8($0) }
      data += [UInt8](bigEndian: ascii.count + 1) + ascii + [0]
      // The same text can follow for Macintosh, behind an empty one in Unicode: code, count, and 67 bytes.
      let other = Array(bytes.dropFirst(12 + count).prefix(78))
      let filled = ascii + [UInt8](repeating: 0, count: max(67 - ascii.count, 0))
      let isRepeated = other.prefix(10).allSatisfy { $0 == 0 } && Array(other.dropFirst(11)) == filled
      data += isRepeated ? other : [UInt8](repeating: 0, count: 78)
      characters = text
    } else {
      guard span.contains("mluc", at: 0), let count = span.uint32(at: 20), let offset = span.uint32(at: 24),
        let text = Self.text(in: span, offset..<offset + count, width: 2)
      else { return nil }
      data += [UInt8](bigEndian: 1) + [UInt8](bigEndian: 12) + Array(bytes[16..<20])
      data += [UInt8](bigEndian: 2 * text.count) + [UInt8](bigEndian: 28)
      for unit in text { data += [UInt8(unit >> 8), UInt8(unit & 255)] }
      characters = text
    }
    self.data = data
  }

  /// Returns the characters of `width` bytes up to a zero; nil if they are too many, or no text.
  private static func text(in span: Span<UInt8>, _ range: Range<Int>, width: Int) -> [UInt16]? {
    guard range.upperBound <= span.count else { return nil }
    var text: [UInt16] = []
    for place in stride(from: range.lowerBound, to: range.upperBound - width + 1, by: width) {
      let number = width == 1 ? span.byte(at: place).map(Int.init) : span.uint16(at: place)
      guard let number, number != 0 else { break }
      let unit = UInt16(number)
      guard isText(unit), text.count < longest else { return nil }
      text.append(unit)
    }
    return text
  }

  /// Returns whether a character is one of a Latin script, in whose bytes no image can hide.
  private static func isText(_ character: UInt16) -> Bool {
    switch character {
    case 0x09, 0x0A, 0x0D, 0x20...0x7E: true
    case 0xFF: false
    default: (0xA0..<0x250).contains(character)
    }
  }
}
