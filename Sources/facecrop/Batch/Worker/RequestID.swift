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
    guard line.first(where: { !isBlank($0) }) == UInt8(ascii: "{") else { return nil }
    var (depth, start, isText, isEscaped) = (0, 0, false, false)
    var name: ArraySlice<UInt8> = []
    for (place, byte) in line.enumerated() {
      switch byte {
      case _ where isText:
        isText = byte != UInt8(ascii: "\"") || isEscaped
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      case UInt8(ascii: "\""): isText = true
      case UInt8(ascii: ":") where depth == 1: (name, start) = (line[start..<place], place + 1)
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        if depth == 1 { start = place + 1 }
      case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","):
        if depth == 1, isID(name) { return trimmed(line[start..<place]) }
        if byte != UInt8(ascii: ",") { depth -= 1 } else if depth == 1 { start = place + 1 }
      default: break
      }
    }
    return nil
  }

  /// Returns whether a name, which may contain escapes, is `id`.
  private static func isID(_ name: ArraySlice<UInt8>) -> Bool {
    let text = try? JSONDecoder().decode([String].self, from: Data([UInt8(ascii: "[")] + name + [UInt8(ascii: "]")]))
    return text?.first == "id"
  }

  private static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var value = value.drop(while: isBlank)
    while let last = value.last, isBlank(last) { value.removeLast() }
    return value
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
