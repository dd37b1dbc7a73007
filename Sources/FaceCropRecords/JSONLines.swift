import FoundationEssentials

/// The encoding of one JSON object per line, with sorted keys, so that equal results give equal bytes.
public enum JSONLines {
  public static func line(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return DisplayText.json(String(decoding: try encoder.encode(value), as: UTF8.self)) + "\n"
  }

  /// Returns the line of a value with finite numbers, which cannot fail.
  public static func safeLine(_ value: some Encodable) -> String {
    (try? line(value)) ?? "{}\n"
  }
}
