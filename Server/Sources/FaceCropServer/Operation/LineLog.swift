import Logging
import SystemPackage

/// The format of the log.
enum LogFormat: String, CaseIterable, Sendable {
  case text
  case json

  /// Returns an event as a line without its newline.
  fileprivate func line(of event: LogEvent, metadata: Logger.Metadata, label: String) -> String {
    switch self {
    case .text: TextLog.line(of: event, metadata: metadata, label: label)
    case .json: JSONLog.line(of: event, metadata: metadata)
    }
  }
}

/// A log with one line per event, on standard error.
struct LineLogHandler: LogHandler {
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]
  let label: String
  let format: LogFormat
  /// The output of a line with its newline.
  let write: @Sendable (String) -> Void

  /// Creates a log that passes lines to `write`; nil for standard error.
  init(label: String, format: LogFormat, write: (@Sendable (String) -> Void)? = nil) {
    (self.label, self.format) = (label, format)
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
    write(format.line(of: event, metadata: all, label: label) + "\n")
  }
}
