import Foundation
import Logging
import SystemPackage

/// The format of the log.
enum LogFormat: String, CaseIterable, Sendable {
  case text
  case json
}

/// A log for programs: one JSON object per line on standard error.
///
/// An object has `time` (ISO 8601, UTC), `level`, `message`, and the metadata by name. Numbers and Booleans keep their
/// type; other values are strings. Metadata with one of these three names gets an underscore appended.
struct JSONLogHandler: LogHandler {
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]
  /// The output of a line with its newline.
  let write: @Sendable (String) -> Void

  /// Creates a log that passes lines to `write`; nil for standard error.
  init(write: (@Sendable (String) -> Void)? = nil) {
    // One call per line, so that lines of several threads do not mix.
    self.write = write ?? { line in _ = try? FileDescriptor.standardError.writeAll(line.utf8) }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var all = metadata
    if let own = event.metadata { all.merge(own) { $1 } }
    if let error = event.error { all["error"] = "\(error)" }
    let time = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let message = Self.json(.string(event.message.description))
    var line = "{\"time\":\"\(time)\",\"level\":\"\(event.level)\",\"message\":\(message)"
    for (key, value) in all.sorted(by: { $0.key < $1.key }) {
      let name = ["time", "level", "message"].contains(key) ? "\(key)_" : key
      line += ",\"\(jsonEscaped(name))\":\(Self.json(value))"
    }
    write(line + "}\n")
  }

  private static func json(_ value: Logger.MetadataValue) -> String {
    switch value {
    case .string(let text): "\"\(jsonEscaped(text))\""
    case .stringConvertible(let value as Int): "\(value)"
    case .stringConvertible(let value as Bool): "\(value)"
    case .stringConvertible(let value): "\"\(jsonEscaped(value.description))\""
    case .array(let values): "[\(values.map(json).joined(separator: ","))]"
    case .dictionary(let values):
      "{"
        + values.sorted { $0.key < $1.key }.map { "\"\(jsonEscaped($0.key))\":\(json($0.value))" }
        .joined(separator: ",") + "}"
    @unknown default: "\"\(jsonEscaped("\(value)"))\""
    }
  }
}
