import FaceCrop
import SystemPackage

/// The plans of many images, one JSON object per line: `{"input":…,"plan":{…}}`, after a line with the format. The last
/// line of an input counts. Only a recorder appends, line by line.
struct PlanLog: Sendable {
  private let file: LineFile

  /// Opens or creates a plan list to append to, or removes its plans if the list `isNew`. Returns it with the locations
  /// of the inputs in it. Refuses a list with plans of people that new ones would replace.
  static func open(
    _ path: FilePath, _ locator: InputLocator, isNew: Bool, gate: WriteGate
  ) throws(FileError) -> (PlanLog, Set<FilePath>) {
    var inputs: Set<FilePath> = []
    var (number, edited) = (1, Int?.none)
    let file = try LineFile(path, .plans, option: "--plan-out", gate: gate) { bytes in
      number += 1
      if bytes.isEmpty || LineFormat.plans.claim(of: bytes) == .ours { return }
      guard let line = try? PlanFile.decode(PlanLine.self, AnyValue.self, bytes) else {
        edited = edited ?? number
        return
      }
      if isNew ? !line.isDetected : !line.isAsWritten { edited = edited ?? number }
      inputs.insert(locator.location(of: line.path(by: locator)))
    }
    if let edited {
      throw FileError(
        path.string,
        "line \(edited) was corrected, and the new plans would replace it (name another file with --plan-out, or apply this one with --plan-in)",
        kind: "plan")
    }
    if isNew { try file.removeLines() }
    return (PlanLog(file: file), isNew ? [] : inputs)
  }

  /// Adds a plan of an input. `isCorrected` tells whether a person made it.
  func append(
    _ plan: CropPlan, for input: FilePath, _ content: InputContent?, isCorrected: Bool
  ) throws(FileError) {
    var line = PlanLine(input: input.string, inputBase64: input.base64, plan: plan)
    (line.bytes, line.content) = (content?.bytes, content?.identifier)
    (line.digest, line.corrected) = (Fingerprint.of(plan), isCorrected ? true : nil)
    try file.append(JSONLines.safeLine(line))
  }

  /// Reads the plans in a file. A file from elsewhere need not have the format line. The time of `limits` is the
  /// timeout for a silent pipe.
  static func read(
    _ path: FilePath, _ locator: InputLocator, limits: Limits
  ) throws(FileError) -> StoredPlans {
    var stored = StoredPlans()
    var number = 0
    var isEmpty = true
    do {
      let file = try FileDescriptor.openAtOnce(path)
      try file.closeAfter {
        var reader = LineReader(file, longest: LineReader.longestRecord, silence: limits.time, stopsAtLongLine: true)
        while let bytes = try reader.next() {
          number += 1
          if bytes.isTooLong { throw FileError.tooLong(path.string, line: number, kind: "plan") }
          if bytes.bytes.isEmpty { continue }
          isEmpty = false
          switch LineFormat.plans.claim(of: bytes.bytes) {
          case .ours: continue
          case .otherVersion(let version):
            throw FileError(
              path.string,
              "the plan list has version \(version), but this facecrop reads version \(LineFormat.plans.version) (write it again with --plan-out)",
              kind: "plan")
          case .somethingElse: break
          }
          let line = try PlanFile.decode(PlanLine.self, PlanKeys.Line.self, bytes.bytes)
          let input = line.path(by: locator)
          let location = locator.location(of: input)
          if let digest = line.digest, line.isDetected { stored.detected.insert(digest) }
          if stored.plans.updateValue(line.plan, forKey: location) == nil { stored.inputs.append(input) }
          stored.contents[location] = line.content.map { InputContent(identifier: $0, bytes: line.bytes) }
        }
      }
    } catch let error as DecodingError {
      throw FileError(
        path.string, "the plan in line \(number) is invalid: \(PlanFile.reasonAndRemedy(error))", kind: "plan")
    } catch {
      throw FileError.reading(path.string, error, kind: "plan")
    }
    if isEmpty { throw FileError(path.string, "the plan list is empty (write it again with --plan-out)", kind: "plan") }
    return stored
  }
}

extension PlanLine {
  /// Whether nobody changed the plan since facecrop wrote it.
  fileprivate var isAsWritten: Bool { digest == Fingerprint.of(plan) }
  /// Whether the plan is as detection made it.
  fileprivate var isDetected: Bool { corrected != true && isAsWritten }

  private var path: FilePath { FilePath(text: input, base64: inputBase64) }

  /// Returns the input's path as named, or its location if the name leads nowhere.
  fileprivate func path(by locator: InputLocator) -> FilePath {
    guard let location, FileStatus(path) == nil else { return path }
    let located = locator.path(of: FilePath(text: location, base64: locationBase64))
    return FileStatus(located) == nil ? path : located
  }
}
