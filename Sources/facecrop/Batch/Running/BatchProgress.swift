import Dispatch
import Synchronization
import SystemPackage

/// The progress of a run on standard error: a bar on a terminal, or one JSON object per second for programs. It also
/// names failed inputs with reasons, and ends with a table, or the last object.
final class BatchProgress: Sendable {
  /// The number of failed inputs to name; others are only counted.
  static let mostNamed = 20

  /// Names the first paths in a warning, and says how many `others` there are.
  static func warn(of paths: [FilePath], _ warning: String, others: (Int) -> String) {
    for path in paths.prefix(mostNamed) { Console.say("facecrop: \(path): warning: \(warning)") }
    if paths.count > mostNamed { Console.say("facecrop: \(others(paths.count - mostNamed))") }
  }

  private let style: ProgressChoice
  let totals: Mutex<BatchTotals>
  /// The inputs that failed in this run.
  private let failures = Atomic(0)
  /// The outputs that are named: those that were kept, and those that were replaced.
  private let kept = Atomic(0)
  private let replaced = Atomic(0)
  /// The inputs that are named with a warning.
  private let warned = Atomic(0)
  private let folder: FilePath
  let names = Atomic(0)
  /// Whether the run ends after its running images.
  let isStopping = Atomic(false)

  /// - Parameter madeTitle: The title of inputs whose outputs were made.
  init(_ choice: ProgressChoice, folder: FilePath = "", madeTitle: String = "cropped") {
    self.folder = folder
    style = choice.settled
    totals = Mutex(BatchTotals(inputs: 0, madeTitle: madeTitle))
  }

  var current: BatchTotals { totals.withLock { $0 } }

  func note(_ entry: ManifestEntry, wasDoneBefore: Bool = false) {
    let isFramed = entry.series != nil && entry.plan == nil
    totals.withLock { $0.note(entry.outcome, wasDoneBefore: wasDoneBefore, isFramed: isFramed) }
    if !wasDoneBefore, entry.outcome.status == .failed, let reason = entry.outcome.reason {
      name(entry.input, reason, isRetryable: entry.outcome.isRetryable)
    }
    for output in entry.outcome.outputs ?? [] {
      let path = folder.pushing(output.path).string
      if output.left == true {
        name(kept: path, Self.isLeft)
      } else if output.kept == true && output.hidesFaces == true {
        name(kept: path, Self.hidesFaces)
      } else if output.kept == true {
        name(kept: path)
      } else if output.replaced == true, !wasDoneBefore {
        name(path, "the file was not as facecrop wrote it, and was replaced", kind: "replaced", counter: replaced)
      }
    }
  }

  /// Notes an output that this run would not write, and that was changed by hand.
  func note(changed output: FilePath) {
    totals.withLock { $0.leftChanged += 1 }
    name(kept: folder.pushing(output).string, Self.isLeft)
  }

  private static let isLeft =
    "this run does not write the file, which is not as facecrop wrote it, and was kept (rename or remove it)"

  private func name(
    kept output: String,
    _ message: String = "the file is not as facecrop wrote it, and was kept (pass --overwrite to replace it)"
  ) {
    name(output, message, kind: "kept", counter: kept)
  }

  private static let hidesFaces =
    "the file hides faces that this run would show, and was kept (choose another folder with -d, or pass --overwrite to replace it)"

  func name(_ input: String, _ warning: String, kind: String) { name(input, warning, kind: kind, counter: warned) }

  /// Names a file with a warning, of which `counter` limits the number.
  private func name(_ input: String, _ warning: String, kind: String, counter: borrowing Atomic<Int>) {
    let count = counter.add(1, ordering: .relaxed).newValue
    if style == .json {
      Console.emit(["event": "warning", "file": input, "kind": kind, "message": warning])
    } else if count <= Self.mostNamed {
      sayInPlace("facecrop: \(input): warning: \(warning)")
    }
  }

  private func name(_ input: String, _ reason: Fault, isRetryable: Bool) {
    let count = failures.add(1, ordering: .relaxed).newValue
    if style == .json {
      Console.emit([
        "event": "error", "file": input, "kind": reason.kind, "message": reason.message, "retryable": isRetryable,
      ])
    } else if count <= Self.mostNamed {
      sayInPlace("facecrop: \(input): \(reason.message)")
    } else if count == Self.mostNamed + 1 {
      sayInPlace("facecrop: more inputs failed, and are counted but not shown (see the manifest or --report)")
    }
  }

  /// Prints a message in place of the bar.
  private func sayInPlace(_ text: String) {
    if style == .bar { Console.write("\r\u{1B}[K", to: .standardError) }
    Console.say(text)
  }

  // MARK: While it runs

  /// Reports progress while `body` runs.
  func tell<Result>(during body: () async throws -> Result) async rethrows -> Result {
    guard style == .bar || style == .json else { return try await body() }
    // A separate queue, because threads that process images must not delay it.
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "facecrop.progress"))
    timer.schedule(deadline: .now() + (style == .json ? 1 : 0.2), repeating: style == .json ? 1 : 0.2)
    timer.setEventHandler { self.tell() }
    timer.resume()
    defer { timer.cancel() }
    return try await body()
  }

  private func tell() {
    let (totals, names) = (current, names.load(ordering: .relaxed))
    switch style {
    case .bar:
      let bar = Self.bar(totals, isStopping: isStopping.load(ordering: .relaxed), columns: Console.errorColumns)
      // A message replaces the shorter text.
      Console.write("\r\u{1B}[K\(totals.hasBegun ? bar : "\(names) names\r")", to: .standardError)
    case .json: Console.emit(totals.hasBegun ? Self.event("progress", totals) : ["event": "listing", "names": names])
    case .auto, .none: break
    }
  }

  /// Returns a line that fits into the columns. The least important parts are dropped first.
  static func bar(_ totals: BatchTotals, isStopping: Bool, columns: Int) -> String {
    let percent = totals.inputs == 0 ? 100 : totals.done * 100 / totals.inputs
    var head = "\(padded("\(percent)", 3)) % \(totals.done)/\(totals.inputs)"
    if isStopping {
      head += "  finishing; interrupt again to stop now"
    } else if let remaining = totals.remaining {
      head += "  \(tenths(totals.rate))/s  \(clock(remaining)) left"
    }
    let counts = Outcome.Status.allCases.filter { totals[$0] > 0 }.map { "\(totals[$0]) \(totals.title(of: $0))" }
    var text = ([head] + counts).joined(separator: "  ")
    // The terminal's echo of Ctrl-C must not start a new line.
    let room = columns - 4
    if text.count > room { text = head }
    let cells = min(room - text.count - 3, 30)
    guard cells >= 5 else { return String(text.prefix(max(room, 0))) }
    let full = percent * cells / 100
    return "[\(String(repeating: "#", count: full))\(String(repeating: ".", count: cells - full))] \(text)"
  }

  // MARK: At the end

  func end(manifest: FilePath?) {
    switch style {
    case .bar:
      Console.write("\r\u{1B}[K\(Self.table(current, manifest: manifest))", to: .standardError)
    case .auto: Console.write(Self.table(current, manifest: manifest), to: .standardError)
    case .json: Console.emit(Self.event("summary", current))
    case .none: break
    }
  }

  /// Prints a message after the table, except in JSON.
  func say(_ text: String) {
    if style == .bar || style == .auto { Console.say(text) }
  }

  static func table(_ totals: BatchTotals, manifest: FilePath?) -> String {
    let width = max("\(totals.inputs)".count, 1)
    var lines = Outcome.Status.allCases.flatMap { status in
      // Images whose faces are all shown have a row of their own.
      let count = totals[status] - (status == .cropped ? totals.notHidden : 0)
      func share(_ count: Int) -> String {
        padded(tenths(totals.inputs == 0 ? 0 : Double(count) / Double(totals.inputs) * 100), 5)
      }
      let reasons = (totals.reasons[status] ?? [:]).sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
      let line = "\(totals.title(of: status).padded(to: 9)) \(padded("\(count)", width))  \(share(count)) %"
      let row = reasons.isEmpty ? line : "\(line)  \(reasons)"
      if status == .cropped, totals.notHidden > 0 {
        let shown = "\(padded("\(totals.notHidden)", width))  \(share(totals.notHidden)) %"
        return [row, "shown     \(shown)  no face was hidden"]
      }
      guard status == .noFace, totals[.noFace] > 0 else { return [row] }
      let outputs =
        totals.outputsWithoutFace == 0
        ? "no outputs (choose others with --no-face, or --no-face-dir)"
        : DisplayText.count(totals.outputsWithoutFace, "output")
      return ["\(row)  \(outputs)"]
    }
    func add(_ title: String, _ count: Int, _ one: String, _ others: String) {
      guard count > 0 else { return }
      lines.append("\(title.padded(to: 9)) \(count) \(count == 1 ? one : others)")
    }
    add(
      "kept", totals.kept, "file that is not as facecrop wrote it (pass --overwrite to replace it)",
      "files that are not as facecrop wrote them (pass --overwrite to replace them)")
    add(
      "kept", totals.keptHidden,
      "file that hides faces (choose another folder with -d, or pass --overwrite to replace it)",
      "files that hide faces (choose another folder with -d, or pass --overwrite to replace them)")
    let again = "of an earlier run, because this version of facecrop finds or frames faces in another way"
    add("again", totals.ofOtherRevision, "image \(again)", "images \(again)")
    add(
      "replaced", totals.replaced, "file that was not as facecrop wrote it",
      "files that were not as facecrop wrote them")
    let changed = "of earlier runs, changed by hand, that this run does not write"
    add("kept", totals.leftChanged, "output \(changed)", "outputs \(changed)")
    add(
      "kept", totals.keptOfFailed, "output of earlier runs, because its image failed",
      "outputs of earlier runs, because their images failed")
    let left = totals.inputs - totals.done
    if left > 0 { lines.append("not begun \(padded("\(left)", width))") }
    if totals.outputs > 0 {
      let smaller = totals.smaller > 0 ? ", \(totals.smaller) of them smaller than requested" : ""
      lines.append("outputs   \(padded("\(totals.outputs)", width))\(smaller)")
    }
    for (kind, count) in totals.warnings.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      lines.append("warning   \(padded("\(count)", width))  \(kind)")
    }
    let before = totals.doneBefore > 0 ? ", \(totals.doneBefore) of them by an earlier run" : ""
    if totals.failedBefore > 0 {
      lines.append(
        "retry     \(totals.failedBefore) failed in an earlier run (see the manifest or --report, or pass --retry)")
    }
    lines.append(
      "inputs    \(padded("\(totals.inputs)", width))\(before), in \(clock(totals.seconds)), \(tenths(totals.rate)) a second"
    )
    if let manifest { lines.append("manifest  \(manifest)") }
    return lines.map { "\(DisplayText.text($0))\n" }.joined()
  }

  var summary: String { JSONLines.safeLine(Self.event("summary", current)) }

  private static func event(_ event: String, _ totals: BatchTotals) -> JSONObject {
    func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
    func unlessZero(_ count: Int) -> Int? { count > 0 ? count : nil }
    return [
      "event": event, "completed": totals.done, "total": totals.inputs, "cropped": totals[.cropped],
      "noFace": totals[.noFace], "failed": totals[.failed], "skipped": totals[.skipped],
      "doneBefore": totals.doneBefore,
      // The existing output files, and those with fewer pixels than requested.
      "outputs": totals.outputs, "smaller": totals.smaller,
      // The outputs of images without a face, and the kept files: foreign or changed ones, and those that hide faces.
      "outputsWithoutFace": totals.outputsWithoutFace,
      "kept": totals.kept + totals.keptHidden + totals.leftChanged,
      // The outputs of earlier runs whose images failed, and the images of `cropped` in which `--blur` hid no face.
      "keptOfFailed": unlessZero(totals.keptOfFailed), "notHidden": unlessZero(totals.notHidden),
      // The foreign or changed files that were replaced, and the unchanged images whose results were of other rules.
      "replaced": unlessZero(totals.replaced), "ofOtherRevision": unlessZero(totals.ofOtherRevision),
      "warnings": totals.warnings.isEmpty ? nil : totals.warnings,
      // The inputs per second.
      "rate": rounded(totals.rate), "seconds": rounded(totals.seconds),
      "remainingSeconds": totals.remaining.map(rounded),
    ]
  }

  // MARK: Figures

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(width - text.count, 0)) + text
  }

  private static func tenths(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  /// Returns `1:02:03`, or `2:03` below an hour.
  static func clock(_ seconds: Double) -> String {
    let whole = Int(min(seconds, 359_999).rounded())
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let hours = whole / 3_600
    return hours > 0
      ? "\(hours):\(two(whole / 60 % 60)):\(two(whole % 60))" : "\(whole / 60):\(two(whole % 60))"
  }
}
