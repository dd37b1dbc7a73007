import Dispatch
import Logging
import Synchronization
import SystemPackage

enum LogFormat: String, CaseIterable, Sendable {
  case text
  case json
}

/// A log with one line per event, on standard error.
struct LineLogHandler: LogHandler {
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]
  let label: String
  let format: LogFormat
  /// The output of a line with its newline; by default standard error.
  var write: @Sendable (String) -> Void = LogQueue.standardError.write

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var all = metadata
    if let own = event.metadata { all.merge(own) { $1 } }
    if let error = event.error { all["error"] = "\(error)" }
    let line =
      switch format {
      case .text: TextLog.line(of: event, metadata: all, label: label)
      case .json: JSONLog.line(of: event, metadata: all)
      }
    write(line + "\n")
  }
}

/// The lines that wait for a slow reader of the log. Beyond an upper bound new ones are dropped and counted, so that
/// requests never wait for the log.
final class LogQueue: Sendable {
  static let standardError = LogQueue { line in try FileDescriptor.standardError.writeAll(line.utf8) }
  /// Upper bound of the waiting lines in bytes.
  static let most = 1 << 20

  private let lines = DispatchQueue(label: "facecrop-server.log")
  private let state = Mutex((waiting: 0, dropped: 0))
  private let output: @Sendable (String) throws -> Void

  init(output: @escaping @Sendable (String) throws -> Void) { self.output = output }

  /// The number of lines that were dropped, or could not be written.
  var dropped: Int { state.withLock { $0.dropped } }

  @Sendable
  func write(_ line: String) {
    let count = line.utf8.count
    let fits = state.withLock { state in
      let fits = state.waiting + count <= Self.most
      if fits { state.waiting += count } else { state.dropped += 1 }
      return fits
    }
    guard fits else { return }
    lines.async { [self] in
      // One call per line, so that lines of other processes do not mix with it.
      let isWritten = (try? output(line)) != nil
      state.withLock { state in
        state.waiting -= count
        if !isWritten { state.dropped += 1 }
      }
    }
  }

  /// Waits until the waiting lines are written, for at most a second.
  func flush() {
    let isWritten = DispatchSemaphore(value: 0)
    lines.async { isWritten.signal() }
    _ = isWritten.wait(timeout: .now() + 1)
  }
}
