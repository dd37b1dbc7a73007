import FaceCrop
import FoundationEssentials
import SystemPackage

/// Plans of many pictures, one JSON object a line: `{"input":…,"plan":{…}}`, behind a line that says what the file is. The last
/// line of an input is the one that counts.
actor PlanLog {
  private struct Line: Codable {
    var input: String
    var inputBase64: String?
    /// Where the input is, from the folder of the manifest that the plan was made with.
    var location: String?
    var locationBase64: String?
    var plan: CropPlan

    var path: FilePath { FilePath(text: input, base64: inputBase64) }

    /// The input's path: as it is named, or where it is, if the name leads nowhere.
    func path(by locator: InputLocator) -> FilePath {
      guard let location, FileStatus(path) == nil else { return path }
      let located = locator.path(of: FilePath(text: location, base64: locationBase64))
      return FileStatus(located) == nil ? path : located
    }
  }

  private let file: LineFile

  /// Opens it, or makes it, to be added to.
  ///
  /// - Returns: also the locations of the inputs whose plans it has.
  static func open(
    _ path: FilePath, _ locator: InputLocator, gate: WriteGate
  ) throws(FileError) -> (PlanLog, Set<FilePath>) {
    var inputs: Set<FilePath> = []
    let file = try LineFile(path, .plans, option: "--plan-out", gate: gate) { bytes in
      guard let line = try? JSONDecoder().decode(Line.self, from: Data(bytes)) else { return }
      inputs.insert(locator.location(of: line.path(by: locator)))
    }
    return (PlanLog(file), inputs)
  }

  private init(_ file: LineFile) {
    self.file = file
  }

  func append(_ plan: CropPlan, for input: FilePath) throws(FileError) {
    let line = Line(input: input.string, inputBase64: input.base64, plan: plan)
    try file.append(JSONLines.safeLine(line))
  }

  /// The plans in a file, by their inputs' locations, and their inputs in the order in which they are first named. Who writes such a file
  /// need not say what it is.
  ///
  /// - Parameters:
  ///   - locator: Tells inputs apart.
  ///   - limits: those of the pictures; their time is how long a pipe may be silent.
  static func read(
    _ path: FilePath, _ locator: InputLocator, limits: Limits
  ) throws(FileError) -> (plans: [FilePath: CropPlan], inputs: [FilePath]) {
    var plans: [FilePath: CropPlan] = [:]
    var inputs: [FilePath] = []
    var number = 0
    do {
      let file = try FileDescriptor.openAtOnce(path)
      try file.closeAfter {
        var reader = LineReader(file, longest: LineReader.longestRecord, silence: limits.time)
        while let bytes = try reader.next() {
          number += 1
          if bytes.isTooLong { throw FileError.tooLong(path.string, line: number, kind: "plan") }
          if bytes.bytes.isEmpty { continue }
          switch LineFormat.plans.claim(of: bytes.bytes) {
          case .ours: continue
          case .otherVersion(let version):
            throw FileError(
              path.string,
              "the plan list has version \(version), but this facecrop reads version \(LineFormat.plans.version)",
              kind: "plan")
          case .somethingElse: break
          }
          let line = try JSONDecoder().decode(Line.self, from: Data(bytes.bytes))
          let input = line.path(by: locator)
          if plans.updateValue(line.plan, forKey: locator.location(of: input)) == nil { inputs.append(input) }
        }
      }
    } catch let error as FileError {
      throw error
    } catch let error as DecodingError {
      throw FileError(
        path.string, "the plan in line \(number) is invalid: \(PlanFile.reason(error))", kind: "plan")
    } catch let error as FaceCropError {
      throw FileError(path.string, error.sentence, kind: "plan")
    } catch {
      throw FileError(path.string, "the file cannot be read: \(error)", kind: "plan")
    }
    return (plans, inputs)
  }
}
