/// Percent-encoding of URLs (RFC 3986, 2.1).
enum PercentCoding {
  /// Decodes a text. Returns nil for an invalid escape, or for bytes that are not UTF-8 or contain a zero.
  static func decoded(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
  }

  /// Encodes everything except unreserved characters (RFC 3986, 2.3) and the ASCII characters `others`.
  static func encoded(_ text: String, keeping others: String = "") -> String {
    text.utf8.reduce(into: "") { encoded, byte in
      if byte.isPlain(or: "-._~") || others.utf8.contains(byte) {
        encoded.unicodeScalars.append(UnicodeScalar(byte))
      } else {
        encoded += "%" + Hexadecimal.text([byte]).uppercased()
      }
    }
  }

  /// Returns why ``decoded(_:)`` refuses a text.
  static func fault(of text: some StringProtocol) -> String {
    let parts = text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst()
    guard parts.allSatisfy({ $0.count >= 2 && $0.prefix(2).allSatisfy { digit($0) != nil } }) else {
      return "'\(text)' has a % that two hexadecimal digits must follow (write % as %25)"
    }
    return "'\(text)' is not UTF-8, or has a zero byte (escape the bytes of UTF-8)"
  }

  static func digit(_ byte: UInt8) -> UInt8? { Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) } }
}

extension UInt8 {
  /// Returns whether it is an ASCII letter, an ASCII digit, or one of some other ASCII characters.
  func isPlain(or others: String) -> Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: others.utf8.contains(self)
    }
  }
}
