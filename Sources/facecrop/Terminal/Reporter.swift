import FaceCrop
import FoundationEssentials
import Synchronization
import SystemPackage

/// A reporter of progress and problems on standard error. The form is text with a bar on a terminal, or one JSON object
/// per line for programs.
final class Reporter: Sendable {
  private enum Style {
    case silent, bar, json
  }

  private struct State {
    var percent = -1
    var phase: CropProgress.Phase?
    var barIsShown = false
    let started = ContinuousClock.now
  }

  private let style: Style
  private let state = Mutex(State())

  init(_ choice: ProgressChoice) {
    style =
      switch choice {
      case .auto: Console.errorIsTerminal ? .bar : .silent
      case .bar: .bar
      case .json: .json
      case .none: .silent
      }
  }

  // MARK: Progress

  /// Shows progress. `overall` is the completed fraction of the whole image, 0…1.
  func report(_ progress: CropProgress, overall: Double) {
    guard style != .silent else { return }
    let percent = Int(overall * 100 + 1e-6)
    state.withLock { state in
      guard percent != state.percent || progress.phase != state.phase else { return }
      state.percent = percent
      state.phase = progress.phase
      switch style {
      case .silent: break
      case .json:
        emit(
          Event.Progress(
            phase: progress.phase.rawValue, completed: progress.completed, total: progress.total,
            fraction: Double(percent) / 100))
      case .bar:
        // A very fast image needs no bar.
        guard state.barIsShown || ContinuousClock.now - state.started > .milliseconds(150) else { return }
        state.barIsShown = true
        Console.write("\r\(Self.bar(percent: percent, phase: progress.phase))", to: .standardError)
      }
    }
  }

  private static func bar(percent: Int, phase: CropProgress.Phase) -> String {
    let label =
      switch phase {
      case .fetch: "fetching "
      case .overview: "looking  "
      case .detect: "searching"
      case .render: "rendering"
      case .encode: "encoding "
      }
    let cells = 30
    let full = percent * cells / 100
    let figure = String(repeating: " ", count: 3 - min("\(percent)".count, 3)) + "\(percent)"
    return "\(label) [\(String(repeating: "#", count: full))\(String(repeating: ".", count: cells - full))] \(figure) %"
  }

  /// Removes the bar.
  func finish() {
    state.withLock { state in
      if state.barIsShown { Console.write("\r\u{1B}[K", to: .standardError) }
      state.barIsShown = false
    }
  }

  /// Removes the terminal's echo of Ctrl-C.
  func clearLine() {
    if style == .bar { Console.write("\r\u{1B}[K", to: .standardError) }
  }

  /// Reports the methods of decoding, as JSON only.
  func tell(_ input: String, look: DecodePath?, render: [DecodePath]) {
    guard style == .json else { return }
    emit(Event.Decoded(file: input, look: look, render: render))
  }

  // MARK: Messages

  func warn(_ input: String, _ warning: CropWarning) {
    say("warning", input, warning.sentence, kind: warning.kind)
  }

  /// Reports a warning. `kind` is an identifier for programs.
  func warn(_ input: String, _ message: String, kind: String) {
    say("warning", input, message, kind: kind)
  }

  /// Reports a complete file, as JSON only.
  func tell(_ input: String, written output: Outcome.Output) {
    guard style == .json else { return }
    emit(Event.OutputWritten(file: input, output: output))
  }

  /// Reports an error. `isRetryable` tells whether the same command may succeed later.
  func fail(_ input: String, _ message: String, kind: String, isRetryable: Bool = false) {
    say("error", input, message, kind: kind, isRetryable: isRetryable)
  }

  private func say(_ event: String, _ input: String, _ message: String, kind: String, isRetryable: Bool? = nil) {
    finish()
    if style == .json {
      emit(Event.Message(event: event, file: input, kind: kind, message: message, retryable: isRetryable))
    } else {
      Console.say("facecrop: \(Input.shown(input)): \(event == "warning" ? "warning: " : "")\(message)")
    }
  }

  private enum Event {
    struct Progress: Encodable {
      var event = "progress"
      var phase: String
      var completed: Int
      var total: Int?
      var fraction: Double
    }

    struct Decoded: Encodable {
      var event = "decoded"
      var file: String
      var look: DecodePath?
      var render: [DecodePath]
    }

    struct OutputWritten: Encodable {
      var event = "written"
      var file: String
      var output: Outcome.Output
    }

    struct Message: Encodable {
      var event: String
      var file: String
      var kind: String
      var message: String
      /// Nil for warnings.
      var retryable: Bool?
    }
  }

  private func emit(_ event: some Encodable) {
    guard let line = try? JSONLines.line(event) else { return }
    Console.write(line, to: .standardError)
  }
}
