import FaceCrop
import FoundationEssentials
import SystemPackage

/// Plans in files.
enum PlanFile {
  /// Reads a plan. The time in the image's limits also applies to the plan.
  static func read(_ path: FilePath, limits: Limits) throws(FileError) -> CropPlan {
    let name = Input.shown(path.string)
    do {
      let bytes = try Input.readToEnd(of: path, atMost: mostBytes, within: ReadingTime(limits.time))
      return try decode(CropPlan.self, PlanKeys.self, bytes)
    } catch let error as DecodingError {
      guard !isList(path) else {
        throw FileError(
          name,
          "the file is a list of plans, and this command takes the plan of one image (pass the list to facecrop batch or sheet)",
          kind: "plan")
      }
      throw FileError(name, "the plan is invalid: \(reasonAndRemedy(error))", kind: "plan")
    } catch {
      throw FileError.reading(name, error, kind: "plan", bound: ("a plan", "name a plan that facecrop wrote"))
    }
  }

  /// The upper bounds of a plan's bytes and values, both far more than ``CropPlan/most`` faces and crops take.
  private static let (mostBytes, mostValues) = (16 << 20, 500_000)

  /// A plan, or a line with one, whose keys are checked too.
  private struct Checked<Content: Decodable, Keys: Decodable>: Decodable {
    var content: Content

    init(from decoder: any Decoder) throws {
      content = try Content(from: decoder)
      _ = try Keys(from: decoder)
    }
  }

  /// Decodes a plan, or a line with one, and checks its keys. The work is bounded by the values, which are counted first.
  static func decode<Content: Decodable, Keys: Decodable>(
    _: Content.Type, _: Keys.Type, _ bytes: [UInt8]
  ) throws -> Content {
    guard bytes.count(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ":") }) <= 2 * mostValues else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: [], debugDescription: "it has more than \(mostValues) values (name a plan that facecrop wrote)"))
    }
    return try JSONDecoder().decode(Checked<Content, Keys>.self, from: Data(bytes)).content
  }

  /// Opens a plan for writing. It may replace only another plan.
  static func open(_ path: FilePath, _ gate: WriteGate) throws(FileError) -> OpenOutput {
    try OpenOutput(path, gate, replacing: .own(title: "a plan", option: "--plan-out") { isPlan($0) })
  }

  /// Returns whether a file is a plan, of any version, valid or not.
  static func isPlan(_ path: FilePath) -> Bool {
    struct Claim: Decodable {
      var version: Int
      var source: PixelSize
      var detector: String
    }
    guard let bytes = try? Input.readToEnd(of: path, atMost: mostBytes) else { return false }
    return (try? decode(Claim.self, AnyValue.self, bytes)) != nil
  }

  /// Returns whether a file is a list of plans.
  private static func isList(_ path: FilePath) -> Bool {
    guard FileStatus(path)?.isRegular == true, let bytes = try? Input.readToEnd(of: path, atMost: mostBytes),
      let first = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1).first
    else { return false }
    return LineFormat.plans.claim(of: first) != .somethingElse
      || (try? decode(PlanLine.self, AnyValue.self, Array(first))) != nil
  }

  /// Returns a clause to follow a colon, without a period, and with the remedy. Some reasons name their own.
  static func reasonAndRemedy(_ error: DecodingError) -> String {
    let reason =
      switch error {
      case .keyNotFound(let key, _): "'\(key.stringValue)' is missing"
      case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
        "\(place(context)) is not \(words(for: type))"
      case .dataCorrupted(let context) where context.debugDescription.hasPrefix("Cannot initialize"):
        "\(place(context)) has an unknown value"
      case .dataCorrupted(let context):
        context.debugDescription.hasSuffix(".") ? String(context.debugDescription.dropLast()) : context.debugDescription
      @unknown default: "\(error)"
      }
    return reason.hasSuffix(")") ? reason : "\(reason) (write it again with --plan-out)"
  }

  /// Returns the place of a value, such as 'crops[0].region'.
  private static func place(_ context: DecodingError.Context) -> String {
    let place = context.codingPath.reduce(into: "") { text, key in
      if let index = key.intValue { text += "[\(index)]" } else { text += (text.isEmpty ? "" : ".") + key.stringValue }
    }
    return place.isEmpty ? "the plan" : "'\(place)'"
  }

  private static func words(for type: any Any.Type) -> String {
    if type is String.Type { return "a text" }
    if type is Bool.Type { return "true or false" }
    if type is any BinaryInteger.Type || type is any BinaryFloatingPoint.Type { return "a number" }
    return "\(type)".hasPrefix("Array") ? "a list" : "an object"
  }
}
