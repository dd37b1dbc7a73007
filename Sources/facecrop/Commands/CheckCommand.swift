import ArgumentParser
import FaceCrop
import Synchronization

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "check", "Check finished photos against the rules for identity documents.", usage: "<input> ...",
    examples: """
      facecrop check passport.jpg
      facecrop check visa.jpg --preset visa:us
      facecrop check --json photos/*.jpg > results.ndjson
      facecrop check -r passports
      """)

  @Argument(help: ArgumentHelp("Image files; - is standard input.", valueName: "input"), completion: .file())
  var inputs: [String]

  @OptionGroup(title: HelpTitle.input) var search: SearchOptions
  @OptionGroup(title: HelpTitle.input) var page: PageOption
  @OptionGroup(title: "Rules") var rules: RuleOptions
  @OptionGroup(title: HelpTitle.limits) var limits: LimitOptions
  @OptionGroup(title: HelpTitle.reporting) var reporting: JSONOption

  struct SearchOptions: ParsableArguments {
    @Flag(.of("recursive", .check)) var recursive = false
  }

  struct RuleOptions: ParsableArguments {
    @Option(.of("preset", .check)) var preset = PhotoStandard.passport
  }

  func validate() throws {
    if search.recursive, inputs.contains(Input.standard) {
      throw ValidationError("-r searches folders, and standard input is not a folder (leave out -r)")
    }
  }

  func run() async throws {
    let looksAgain = inputs.count > 1 || search.recursive
    let cropper = FaceCropper(
      detector: YuNetFaceDetector(keepsMemory: looksAgain), limits: limits.limits, keepsMemory: looksAgain)
    let isTable = search.recursive && !reporting.json
    let each = EachInput(inputs: names, page: page.page, limits: limits.limits, json: reporting.json)
    // The numbers of checked images, of those that keep every rule, and of those that keep only the measured ones.
    let counts = Mutex((all: 0, passing: 0, unclear: 0))
    defer { if isTable { try? Output.writeToStandard(Array(CheckText.summary(counts.withLock { $0 }).utf8)) } }
    try await each { input, source, _ in
      let check = try await cropper.check(source, by: rules.preset, allowsDamage: limits.allowTruncated)
      for warning in check.warnings { each.reporter.warn(input.text, warning) }
      counts.withLock {
        $0.all += 1
        if check.passes { $0.passing += 1 } else if !check.breaksRules { $0.unclear += 1 }
      }
      if isTable { return CheckText.row(input.text, check) }
      return reporting.json
        ? JSONLines.safeLine(JSONObject(input, check, rules.preset)) : CheckText.block(input.text, check)
    }
    if counts.withLock({ $0.passing + $0.unclear < $0.all }) { throw ExitCode(2) }
  }

  /// The inputs. Folders are replaced by the images in them.
  private var names: [Input.Name] {
    guard search.recursive else { return GivenOptions.launch.inputs }
    var list = InputList(
      isRecursive: true, base: nil, excluded: [], locator: InputLocator(manifest: "."))
    for name in GivenOptions.launch.inputs { list.add(named: name.path) }
    return list.inputs.filter { $0.obstacle == nil && $0.obstacleByBeginning == nil }
      .map { Input.Name(text: $0.path.string, path: $0.path) }
  }
}

extension JSONObject {
  /// Creates the line that `check --json` prints for an image. `passes` is null if a rule was not measured.
  fileprivate init(_ input: Input.Name, _ check: PhotoCheck, _ standard: PhotoStandard) {
    let checks: [JSONObject] = check.findings.map { finding in
      let passes: Bool? = finding.isSkipped ? nil : finding.passes
      return [
        "name": finding.rule.name, "value": finding.rounded(to: 10_000), "unit": finding.rule.unit.rawValue,
        "least": finding.rule.least, "most": finding.rule.most, "source": finding.rule.source,
        "passes": .some(passes),
      ]
    }
    let passes: Bool? = check.breaksRules ? false : check.passes ? true : nil
    self = [
      "file": input.text, "fileBase64": input.base64, "preset": standard.rawValue, "passes": .some(passes),
      "checks": checks,
    ]
  }
}

/// The text that `check` prints.
private enum CheckText {
  static func summary(_ counts: (all: Int, passing: Int, unclear: Int)) -> String {
    let verb = counts.unclear == 1 ? "keeps" : "keep"
    let others = counts.unclear == 0 ? "" : "; \(counts.unclear) \(verb) the rules that could be measured"
    return "\(counts.passing) of \(DisplayText.count(counts.all, "image", "keeps", "keep")) every rule\(others)\n"
  }

  /// Returns one line: the verdict, the file, and each broken rule with its value, or else the rules that were not
  /// measured.
  static func row(_ file: String, _ check: PhotoCheck) -> String {
    let broken = check.findings.filter(\.isBroken).map { "\($0.rule.name) \($0.shownValue)" }
    let verdict = check.breaksRules ? "FAIL" : check.passes ? "pass" : "none"
    let reason = check.breaksRules ? broken.joined(separator: ", ") : unmeasured(check)
    return ([verdict, DisplayText.text(Input.shown(file))] + (reason.isEmpty ? [] : [reason])).joined(separator: "  ")
      + "\n"
  }

  /// Returns the rules that were not measured; empty without any.
  private static func unmeasured(_ check: PhotoCheck) -> String {
    let names = check.findings.filter(\.isSkipped).map(\.rule.name)
    return names.isEmpty ? "" : "not measured: \(names.joined(separator: ", "))"
  }

  static func block(_ file: String, _ check: PhotoCheck) -> String {
    let rows = check.findings.map { finding in
      [
        finding.isSkipped ? "none" : finding.passes ? "pass" : "FAIL", finding.rule.name,
        finding.shownValue, finding.shownLimits, finding.rule.subject, finding.rule.source,
      ]
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max()! }
    let lines = rows.map { row in
      let cells = zip(row, widths).map { $0.padded(to: $1) }
      return "  " + cells.dropLast().joined(separator: "  ") + "  " + row.last!
    }
    let broken = check.findings.count(where: \.isBroken)
    let measured = check.findings.count { !$0.isSkipped }
    let verdict =
      if check.breaksRules {
        "breaks \(broken) of \(check.findings.count) rules"
      } else if check.passes {
        "keeps every rule"
      } else {
        "keeps the \(measured) rules that could be measured (\(unmeasured(check)))"
      }
    return "\(DisplayText.text(Input.shown(file))) \(verdict)\n" + lines.map { $0 + "\n" }.joined()
  }
}
