import FoundationEssentials

/// The identifier of a request: any JSON value, returned byte by byte. Numbers may have any number of digits.
struct RequestID: Hashable, Sendable {
  let json: String

  static let null = RequestID(of: [])

  /// Reads the identifier from a valid JSON object; null for none.
  init(of line: [UInt8]) {
    json = Self.value(in: line).map { String(decoding: $0, as: UTF8.self) } ?? "null"
  }

  private static func value(in line: [UInt8]) -> ArraySlice<UInt8>? {
    var rest = line[...].drop(while: isBlank)
    guard rest.popFirst() == UInt8(ascii: "{") else { return nil }
    while true {
      rest = rest.drop(while: isBlank)
      guard rest.first == UInt8(ascii: "\"") else { return nil }
      let name = rest.prefix(lengthOfText(rest))
      rest = rest.dropFirst(name.count).drop(while: isBlank)
      guard rest.popFirst() == UInt8(ascii: ":") else { return nil }
      rest = rest.drop(while: isBlank)
      var value = rest.prefix(lengthOfValue(rest))
      rest = rest.dropFirst(value.count + 1)
      while let last = value.last, isBlank(last) { value.removeLast() }
      // A name may contain escapes.
      let text = try? JSONDecoder().decode([String].self, from: Data([UInt8(ascii: "[")] + name + [UInt8(ascii: "]")]))
      if text?.first == "id" { return value }
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// Returns the length of a string at the start, with its quotation marks.
  private static func lengthOfText(_ bytes: ArraySlice<UInt8>) -> Int {
    var isEscaped = false
    for (count, byte) in bytes.enumerated().dropFirst() {
      if byte == UInt8(ascii: "\""), !isEscaped { return count + 1 }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    return bytes.count
  }

  /// Returns the length of a value at the start, up to the next comma or brace.
  private static func lengthOfValue(_ bytes: ArraySlice<UInt8>) -> Int {
    var depth = 0
    var place = bytes.startIndex
    while place < bytes.endIndex {
      switch bytes[place] {
      case UInt8(ascii: "\""): place += lengthOfText(bytes[place...]) - 1
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","):
        if depth == 0 { return place - bytes.startIndex }
        if bytes[place] != UInt8(ascii: ",") { depth -= 1 }
      default: break
      }
      place += 1
    }
    return bytes.count
  }
}
