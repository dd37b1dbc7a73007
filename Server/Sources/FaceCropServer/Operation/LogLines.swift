import Foundation
import Glibc
import Logging

/// The log for people, laid out as by swift-log.
///
/// Names of images come from clients, and must not add a line or another field. So control characters are escaped as
/// the command escapes them. A value with a space, a quotation mark or a backslash is in quotes.
enum TextLog {
  /// Returns an event as a line without its newline.
  static func line(of event: LogEvent, metadata: Logger.Metadata, label: String) -> String {
    let fields = metadata.sorted { $0.key < $1.key }.map { " \(Self.field($0.key))=\(Self.field("\($0.value)"))" }
    return "\(Self.time()) \(event.level) \(label):\(fields.joined()) [\(event.source)]"
      + " \(DisplayText.text(event.message.description))"
  }

  private static func time() -> String {
    var (now, parts) = unsafe (Glibc.time(nil), tm())
    var text = [CChar](repeating: 0, count: 64)
    unsafe localtime_r(&now, &parts)
    let count = unsafe strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S%z", &parts)
    return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Returns a value that ends where it seems to end.
  static func field(_ text: String) -> String {
    let shown = DisplayText.text(text)
    let isPlain =
      !text.isEmpty && shown == text
      && text.unicodeScalars.allSatisfy { $0 != "\"" && $0 != "\\" && !$0.properties.isWhitespace }
    guard !isPlain else { return text }
    let quoted = text.unicodeScalars.map { ($0 == "\"" || $0 == "\\" ? "\\" : "") + String($0) }.joined()
    return "\"\(DisplayText.text(quoted))\""
  }
}

/// The log for programs: one JSON object per line.
///
/// An object has `time` (ISO 8601, UTC), `level`, `message`, and the metadata by name. Numbers and Booleans keep their
/// type; other values are strings. Metadata with one of these three names gets an underscore appended.
enum JSONLog {
  /// Returns an event as a line without its newline.
  static func line(of event: LogEvent, metadata: Logger.Metadata) -> String {
    let time = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let message = Self.json(.string(event.message.description))
    var line = "{\"time\":\"\(time)\",\"level\":\"\(event.level)\",\"message\":\(message)"
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      let name = ["time", "level", "message"].contains(key) ? "\(key)_" : key
      line += ",\"\(DisplayText.jsonString(name))\":\(Self.json(value))"
    }
    return line + "}"
  }

  private static func json(_ value: Logger.MetadataValue) -> String {
    switch value {
    case .string(let text): "\"\(DisplayText.jsonString(text))\""
    case .stringConvertible(let value as Int): "\(value)"
    case .stringConvertible(let value as Bool): "\(value)"
    case .stringConvertible(let value): "\"\(DisplayText.jsonString(value.description))\""
    case .array(let values): "[\(values.map(json).joined(separator: ","))]"
    case .dictionary(let values):
      "{"
        + values.sorted { $0.key < $1.key }.map { "\"\(DisplayText.jsonString($0.key))\":\(json($0.value))" }
        .joined(separator: ",") + "}"
    @unknown default: "\"\(DisplayText.jsonString("\(value)"))\""
    }
  }
}
