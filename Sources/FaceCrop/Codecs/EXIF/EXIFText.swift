/// The validation of texts in EXIF data. Text has no control characters, and every image format has some, so that a
/// valid text contains no image. Text that codes other data is not valid.
enum EXIFText {
  /// Checks a text in ASCII, as the standard requires, or in a superset of ASCII, as programs write. Zeros may separate
  /// `parts`. Returns the text without its terminating zero; nil if it is empty or no text.
  static func ascii(_ bytes: ArraySlice<UInt8>, parts: Int = 1) -> [UInt8]? {
    let found = bytes.split(separator: 0, maxSplits: parts, omittingEmptySubsequences: false).prefix(parts)
    guard found.allSatisfy(isText), !CodedText.isFound(in: bytes.map { UInt16($0) }),
      let last = found.lastIndex(where: { !$0.isEmpty })
    else { return nil }
    return Array(found[...last].joined(separator: [0]))
  }

  /// Returns whether the bytes are text. Only Latin-1 and similar encodings use the byte 255 ("ÿ"), but every JPEG
  /// marker starts with it.
  private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy { byte in
      byte >= 0x20 ? byte != 0x7F && byte != 0xFF : [0x09, 0x0A, 0x0D].contains(byte)
    }
  }

  /// Checks a text after eight bytes that name its encoding, and returns both (CIPA DC-008-2019, table 9).
  static func comment(_ bytes: ArraySlice<UInt8>, _ order: ByteOrder) -> [UInt8]? {
    let code = bytes.prefix(8)
    let rest = bytes.dropFirst(8)
    let text: [UInt8]? =
      switch String(decoding: code, as: UTF8.self) {
      case "ASCII\0\0\0", "JIS\0\0\0\0\0", "\0\0\0\0\0\0\0\0": ascii(rest)
      // The standard does not define the byte order.
      case "UNICODE\0": wide(rest, order) ?? wide(rest, order == .bigEndian ? .littleEndian : .bigEndian)
      default: nil
      }
    return text.map { code + $0 }
  }

  /// Checks a UTF-16 text. Returns it without its terminating zero; nil if it is empty or no text.
  static func wide(_ bytes: ArraySlice<UInt8>, _ order: ByteOrder) -> [UInt8]? {
    let copy = Array(bytes)
    let units = stride(from: 0, to: copy.count - 1, by: 2).lazy.map { UInt16(copy.span.uint16(at: $0, order)!) }
    let text = Array(units.prefix { $0 != 0 })
    guard !text.isEmpty, !CodedText.isFound(in: text), let string = String(validating: text, as: UTF16.self),
      string.unicodeScalars.allSatisfy(CreditText.isText), !holdsPicture(copy.prefix(2 * text.count))
    else { return nil }
    return Array(copy.prefix(2 * text.count))
  }

  /// Returns whether the bytes contain the start of an image. In UTF-16, all bytes of an image can be letters.
  private static func holdsPicture(_ bytes: ArraySlice<UInt8>) -> Bool {
    let starts: [[UInt8]] = [[0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47], Array("II*\0".utf8), Array("MM\0*".utf8)]
    return bytes.indices.contains { index in starts.contains { bytes[index...].starts(with: $0) } }
  }
}
