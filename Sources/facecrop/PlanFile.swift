import FaceCrop
import FoundationEssentials
import SystemPackage

/// Plans in files.
enum PlanFile {
  /// Reads a plan. The time in the image's limits also applies to the plan.
  static func read(_ path: FilePath, limits: Limits) throws(FileError) -> CropPlan {
    let name = Input.shown(path.string)
    do {
      let bytes = try Input.readToEnd(of: path, within: ReadingTime(limits.time))
      return try JSONDecoder().decode(CropPlan.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw FileError(name, "the plan is invalid: \(reason(error)) (write it again with --plan-out)", kind: "plan")
    } catch FaceCropError.overLimit(.fileBytes, _, let allowed) {
      // The limit for plans differs from that for images.
      throw FileError(name, "a plan has at most \(allowed >> 20) MiB (name a plan that facecrop wrote)", kind: "plan")
    } catch let error as FaceCropError {
      throw FileError(name, error.sentence, kind: "plan")
    } catch {
      throw FileError(name, "the file cannot be read: \(error)", kind: "plan")
    }
  }

  /// Opens a plan for writing. It may replace only another plan.
  static func open(_ path: FilePath, _ gate: WriteGate) throws(FileError) -> OpenOutput {
    try Output(path).open(gate, replacing: .own(title: "plan", option: "--plan-out") { isPlan($0) })
  }

  /// Returns whether a file is a plan, of any version, valid or not.
  static func isPlan(_ path: FilePath) -> Bool {
    struct Claim: Decodable {
      var version: Int
      var source: PixelSize
      var detector: String
    }
    guard let bytes = try? Input.readToEnd(of: path) else { return false }
    return (try? JSONDecoder().decode(Claim.self, from: Data(bytes))) != nil
  }

  /// Returns a clause to follow a colon, without a period.
  static func reason(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, _): "'\(key.stringValue)' is missing"
    case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
      context.debugDescription.hasSuffix(".") ? String(context.debugDescription.dropLast()) : context.debugDescription
    @unknown default: "\(error)"
    }
  }
}
