import ArgumentParser
import FaceCrop
import Synchronization

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Measures finished photographs by the rules for identity documents.",
    usage: "facecrop check [<options>] <input> ...",
    discussion: """
      Each rule has its value, its limits and the standard that has them: how many faces there are, the picture's shape, the head's \
      height and whether all of it is seen, the eyes' height, middle, tilt and distance, and the sharpness. Nothing is said of \
      expression, gaze, glasses, light and background. Heads are measured to about 3 % of their height.

      EXAMPLE
        facecrop avatar photo.jpg --preset passport --align -o passport.jpg
        facecrop check passport.jpg

      Exit status: 0 every rule is kept; 1 an input failed; 2 none failed, but one breaks a rule.
      """)

  @Argument(help: ArgumentHelp("The pictures; - is standard input.", valueName: "input"), completion: .file())
  var inputs: [String]

  @Option(help: "Whose rules.")
  var preset = PhotoStandard.passport

  @Flag(help: "Print a JSON object a line, errors too.")
  var json = false

  @Flag(help: "Take what can be read of a truncated or damaged picture, with a warning.")
  var allowTruncated = false

  @OptionGroup var limits: LimitOptions

  func validate() throws {
    for input in inputs { try Input.checkIsNoURL(input) }
  }

  mutating func run() async throws {
    let cropper = FaceCropper(detector: YuNetFaceDetector(keepsMemory: inputs.count > 1), limits: limits.limits)
    let reporter = Reporter(.none)
    let each = EachInput(inputs: EachInput.Name.all(inputs), limits: limits.limits, reporter: reporter) {
      [json] input, error in json ? JSONLines.safeLine(FailureLine(input, error)) : nil
    }
    let broken = Broken()
    try await each { [json, preset, allowTruncated] input, source in
      let check = try await cropper.check(source, by: preset, allowsDamage: allowTruncated)
      for warning in check.warnings { reporter.warn(input.text, warning) }
      if !check.passes { broken.isSo.store(true, ordering: .relaxed) }
      return json ? JSONLines.safeLine(CheckLine(input, check, preset)) : CheckText.block(input.text, check)
    }
    if broken.isSo.load(ordering: .relaxed) { throw ExitCode(2) }
  }
}

/// Whether a picture breaks a rule.
private final class Broken: Sendable {
  let isSo = Atomic(false)
}

/// The line that `check --json` prints of a picture.
private struct CheckLine: Encodable {
  struct Finding: Encodable {
    var name: String
    var value: Double?
    var unit: String
    var least: Double?
    var most: Double?
    var source: String
    var passes: Bool
  }

  var file: String
  var fileBase64: String?
  var preset: String
  var passes: Bool
  var checks: [Finding]

  init(_ input: EachInput.Name, _ check: PhotoCheck, _ standard: PhotoStandard) {
    (file, fileBase64, preset, passes) = (input.text, input.base64, standard.rawValue, check.passes)
    checks = check.findings.map { finding in
      Finding(
        name: finding.rule.name, value: finding.value.map { ($0 * 10_000).rounded() / 10_000 },
        unit: finding.rule.unit.rawValue, least: finding.rule.least, most: finding.rule.most,
        source: finding.rule.source, passes: finding.passes)
    }
  }
}

/// What `check` prints for people.
private enum CheckText {
  static func block(_ file: String, _ check: PhotoCheck) -> String {
    let rows = check.findings.map { finding in
      [
        finding.passes ? "pass" : "FAIL", finding.rule.subject,
        finding.value.map { shown($0, finding.rule.unit) } ?? "-",
        limits(of: finding.rule), finding.rule.source,
      ]
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max()! }
    let lines = rows.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return "  " + cells.dropLast().joined(separator: "  ") + "  " + row.last!
    }
    let count = check.findings.count { !$0.passes }
    let verdict = count == 0 ? "keeps every rule" : "breaks \(count) of \(check.findings.count) rules"
    return "\(Shown.text(file)) \(verdict)\n" + lines.map { $0 + "\n" }.joined()
  }

  private static func limits(of rule: PhotoCheck.Rule) -> String {
    switch (rule.least, rule.most) {
    case (let least?, let most?) where least == most: shown(least, rule.unit)
    case (let least?, let most?): "\(shown(least, rule.unit)) to \(shown(most, rule.unit))"
    case (let least?, nil): "at least \(shown(least, rule.unit))"
    case (nil, let most?): "at most \(shown(most, rule.unit))"
    case (nil, nil): ""
    }
  }

  private static func shown(_ value: Double, _ unit: PhotoCheck.Unit) -> String {
    func rounded(_ value: Double, _ digits: Double) -> String {
      let text = "\((value * digits).rounded() / digits)"
      return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
    return switch unit {
    case .count: rounded(value, 1)
    case .part: "\(rounded(value * 100, 10)) %"
    case .ratio, .score: rounded(value, 100)
    case .degrees: "\(rounded(value, 10)) deg"
    case .pixels: "\(rounded(value, 1)) px"
    }
  }
}
