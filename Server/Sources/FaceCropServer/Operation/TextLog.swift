import Glibc
import Logging
import SystemPackage

/// A log for people: one line per event on standard error, laid out as by swift-log.
///
/// Names of images come from clients. So no value can add a line or another field: control characters are escaped as the
/// command escapes them, and a value with a space, a quotation mark or a backslash is in quotes.
struct TextLogHandler: LogHandler {
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]
  let label: String
  /// The output of a line with its newline.
  let write: @Sendable (String) -> Void

  /// Creates a log that passes lines to `write`; nil for standard error.
  init(label: String, write: (@Sendable (String) -> Void)? = nil) {
    self.label = label
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
    let fields = all.sorted { $0.key < $1.key }.map { " \(Self.field($0.key))=\(Self.field("\($0.value)"))" }
    write(
      "\(Self.time()) \(event.level) \(label):\(fields.joined()) [\(event.source)]"
        + " \(DisplayText.text(event.message.description))\n")
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
    var quoted = ""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { quoted += "\\" }
      quoted.unicodeScalars.append(scalar)
    }
    return "\"\(DisplayText.text(quoted))\""
  }
}
