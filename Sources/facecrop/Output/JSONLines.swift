import FoundationEssentials

/// One JSON object a line, keys in alphabetical order so that equal results are equal bytes.
enum JSONLines {
  static func line(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }

  /// Of values whose numbers are finite, the only thing that could make it fail.
  static func safeLine(_ value: some Encodable) -> String {
    (try? line(value)) ?? "{}\n"
  }
}
