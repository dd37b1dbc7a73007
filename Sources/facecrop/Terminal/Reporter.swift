import FaceCrop
import Synchronization

/// A reporter of progress and problems on standard error. The form is text with a bar on a terminal, or one JSON object
/// per line for programs.
final class Reporter: Sendable {
  private struct State {
    var percent = -1
    var phase: CropProgress.Phase?
    var barIsShown = false
    let started = ContinuousClock.now
  }

  private let style: ProgressChoice
  private let state = Mutex(State())

  init(_ choice: ProgressChoice) {
    style = choice.settled
  }

  // MARK: Progress

  /// Shows progress. `overall` is the completed fraction of the whole image, 0…1.
  func report(_ progress: CropProgress, overall: Double) {
    guard style == .bar || style == .json else { return }
    let percent = Int(overall * 100 + 1e-6)
    state.withLock { state in
      guard percent != state.percent || progress.phase != state.phase else { return }
      state.percent = percent
      state.phase = progress.phase
      switch style {
      case .auto, .none: break
      case .json:
        Console.emit([
          "event": "progress", "phase": progress.phase.rawValue, "completed": progress.completed,
          "total": progress.total, "fraction": Double(percent) / 100,
        ])
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
    Console.emit(["event": "decoded", "file": input, "look": look, "render": render])
  }

  // MARK: Messages

  func warn(_ input: String, _ warning: CropWarning) { warn(input, Fault(warning)) }

  func warn(_ input: String, _ fault: Fault) { say("warning", input, fault) }

  func warn(_ input: String, _ kind: String, _ problem: String, _ remedy: Remedy? = nil) {
    warn(input, Fault(kind, problem, remedy))
  }

  /// Reports a complete file, as JSON only.
  func tell(_ input: String, written output: Outcome.Output) {
    guard style == .json else { return }
    Console.emit(["event": "written", "file": input, "output": output])
  }

  /// Reports an error about an input, or about another file that the obstacle names.
  func fail(_ obstacle: Outcome.Obstacle, of input: String) {
    say("error", obstacle.file?.file ?? input, obstacle.reason, isRetryable: obstacle.isRetryable)
  }

  private func say(_ event: String, _ input: String, _ fault: Fault, isRetryable: Bool? = nil) {
    finish()
    if style == .json {
      Console.emit([
        "event": event, "file": input, "kind": fault.kind, "message": fault.message, "retryable": isRetryable,
        "fault": fault.data,
      ])
    } else {
      Console.say("facecrop: \(Input.shown(input)): \(event == "warning" ? "warning: " : "")\(fault.message)")
    }
  }
}

enum ProgressChoice: String, CaseIterable {
  case auto, bar, json, none

  /// The choice for this process: `auto` is a bar on a terminal, and remains elsewhere.
  var settled: ProgressChoice { self == .auto && Console.errorIsTerminal ? .bar : self }
}
