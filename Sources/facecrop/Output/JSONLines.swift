import FoundationEssentials

/// One JSON object a line, keys in alphabetical order so that equal results are equal bytes.
enum JSONLines {
  static func line(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Shown.json(String(decoding: try encoder.encode(value), as: UTF8.self)) + "\n"
  }

  /// The line of a value whose numbers are finite: no others could make it fail.
  static func safeLine(_ value: some Encodable) -> String {
    (try? line(value)) ?? "{}\n"
  }
}
