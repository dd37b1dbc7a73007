import ArgumentParser
import FaceCrop
import Synchronization

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check finished photos against the rules for identity documents.",
    usage: "facecrop check [<options>] <input> ...",
    discussion: HelpText.examples(
      """
      facecrop check passport.jpg
      facecrop check --json photos/*.jpg > results.ndjson
      """))

  @Argument(help: ArgumentHelp("Image files; - is standard input.", valueName: "input"), completion: .file())
  var inputs: [String]

  @OptionGroup(title: "Rules") var rules: RuleOptions
  @OptionGroup(title: HelpTitle.limits) var damage: DamageOption
  @OptionGroup(title: HelpTitle.limits) var limits: LimitOptions
  @OptionGroup(title: HelpTitle.reporting) var reporting: JSONOption

  struct RuleOptions: ParsableArguments {
    @Option(help: "Choose the document.")
    var preset = PhotoStandard.passport
  }

  func validate() throws {
    for input in inputs { try Input.checkIsNoURL(input) }
  }

  mutating func run() async throws {
    let (json, preset, allowsDamage) = (reporting.json, rules.preset, damage.allowTruncated)
    let cropper = FaceCropper(
      detector: YuNetFaceDetector(keepsMemory: inputs.count > 1), limits: limits.limits,
      keepsMemory: inputs.count > 1)
    let reporter = Reporter(.none)
    let each = EachInput(inputs: EachInput.Name.all(inputs), limits: limits.limits, reporter: reporter) {
      input, error in json ? JSONLines.safeLine(FailureLine(input, error)) : nil
    }
    let broken = Broken()
    try await each { input, source in
      let check = try await cropper.check(source, by: preset, allowsDamage: allowsDamage)
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
