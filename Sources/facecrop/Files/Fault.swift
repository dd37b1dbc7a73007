/// What is wrong with a file, or worth a warning. Records have its words for the command line, and programs that spell
/// options in another way, such as Python, get it as data.
struct Fault: Codable, Equatable, Sendable {
  /// An identifier for programs.
  var kind: String
  /// The problem and the remedy as an independent clause that can follow a file name and a colon.
  let message: String

  // The members below are those of this run; a record has none.
  /// What is wrong, as a clause.
  private var problem: String?
  /// What to do about it; nil if nothing certain helps, or if the problem says it.
  private var remedy: Remedy?
  /// The limit or the part of the request that is at fault, its value, and the valid ones; nil for other faults.
  var field: String?
  var value: String?
  var bound: String?

  private enum CodingKeys: CodingKey { case kind, message }

  /// A fault equals its record.
  static func == (one: Fault, other: Fault) -> Bool { one.kind == other.kind && one.message == other.message }

  init(_ kind: String, _ problem: String, _ remedy: Remedy? = nil) {
    (self.kind, self.problem, self.remedy) = (kind, problem, remedy)
    message = remedy.map { "\(problem) (\($0))" } ?? problem
  }

  var data: JSONObject {
    ["kind": kind, "problem": problem, "remedy": remedy?.parts, "field": field, "value": value, "bound": bound]
  }
}

/// What to do about a fault, as a clause in which options are data: `"raise it with \(option: "timeout", 60)"` is
/// `raise it with --timeout 60` on the command line.
struct Remedy: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
  /// A text, or an option by its name without dashes. Its value is nil if only the option is named.
  struct Part: Encodable, Sendable {
    var text: String?
    var option: String?
    var value: String?
  }

  /// The value of a flag that should be set.
  private static let on = "true"

  let parts: [Part]

  init(stringLiteral text: String) { parts = [Part(text: text)] }
  init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    init(literalCapacity _: Int, interpolationCount _: Int) {}

    mutating func appendLiteral(_ text: String) {
      if !text.isEmpty { parts.append(Part(text: text)) }
    }
    mutating func appendInterpolation(_ text: some CustomStringConvertible) { appendLiteral("\(text)") }
    mutating func appendInterpolation(_ remedy: Remedy) { parts += remedy.parts }
    mutating func appendInterpolation(option: String) { parts.append(Part(option: option)) }
    mutating func appendInterpolation(option: String, _ value: some CustomStringConvertible) {
      parts.append(Part(option: option, value: "\(value)"))
    }
    mutating func appendInterpolation(flag: String) { parts.append(Part(option: flag, value: on)) }
  }

  /// The clause in the words of the command line.
  var description: String {
    parts.map { part in
      guard let option = part.option else { return part.text ?? "" }
      return "--\(option)" + (part.value.map { $0 == Self.on ? "" : " \($0)" } ?? "")
    }
    .joined()
  }
}
