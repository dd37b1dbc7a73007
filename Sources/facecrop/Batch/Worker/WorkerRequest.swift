import ArgumentParser
import FaceCrop
import FoundationEssentials
import SystemPackage

/// A line on a worker's standard input: `{"id":…,"input":…,"output":…}`, and options by their names on the command
/// line.
struct WorkerRequest: Sendable {
  struct ParseError: Error {
    var id: RequestID?
    /// The fault as an independent clause.
    var message: String
  }

  /// The options as on the command line.
  struct Options: ParsableArguments {
    @OptionGroup var wanted: RequestOptions
    @OptionGroup var cut: LosslessOption
    @OptionGroup var look: LookOptions
    @OptionGroup var page: PageOption

    mutating func validate() throws {
      try wanted.resolveBackground()
      try cut.check(wanted)
      try wanted.checkFill(.crop)
    }
  }

  var id: RequestID
  var input: FilePath
  /// The output; nil writes nothing, and the answer describes the crops.
  var output: FilePath?
  /// Whether an output replaces a file with other content.
  var replaces = true
  var options: Options

  /// A parser for requests. It caches the options of the previous request, because parsing takes as long as detecting
  /// faces in a small image.
  struct Parser {
    /// The arguments of the worker's command line, which a request can override.
    let defaults: [String]
    fileprivate(set) var last: (own: [[String]], options: Options)?

    mutating func request(_ line: [UInt8]) throws(ParseError) -> WorkerRequest {
      try WorkerRequest(line, &self)
    }

    fileprivate mutating func options(_ own: [[String]]) throws -> Options {
      if let last, last.own == own { return last.options }
      let arguments = defaults + own.flatMap { $0 }
      let given = GivenOptions(arguments, of: .request)
      try given.check()
      let options = try Options.parse(given.arguments)
      last = (own, options)
      return options
    }
  }

  private init(_ line: [UInt8], _ parser: inout Parser) throws(ParseError) {
    guard case .object(var members)? = try? JSONDecoder().decode(JSONValue.self, from: Data(line)) else {
      throw ParseError(id: nil, message: "the request is not a JSON object")
    }
    let id = members.removeValue(forKey: "id") == nil ? .null : RequestID(of: line)
    self.id = id
    input = try Self.path("input", &members, id)
    output = members["output"] == .null ? nil : try Self.path("output", &members, id)
    guard output != FilePath(Input.standard), input != FilePath(Input.standard) else {
      throw ParseError(id: id, message: "standard input and output cannot be images (name files)")
    }
    switch members.removeValue(forKey: "clobber") {
    case nil, .null?, .bool(true)?: break
    case .bool(false)?: replaces = false
    default: throw ParseError(id: id, message: "'clobber' is neither true nor false")
    }
    let own = try members.sorted { $0.key < $1.key }.map { (name, value) throws(ParseError) in
      try Self.arguments(name, value, id)
    }
    do {
      options = try parser.options(own)
    } catch {
      throw ParseError(id: id, message: ValueFault.sentence(in: Options.message(for: error)))
    }
  }

  private static func path(
    _ name: String, _ members: inout [String: JSONValue], _ id: RequestID
  ) throws(ParseError) -> FilePath {
    let text = members.removeValue(forKey: name)
    if case .string(let encoded)? = members.removeValue(forKey: "\(name)Base64") {
      guard let bytes = Data(base64Encoded: encoded), !bytes.isEmpty, !bytes.contains(0) else {
        throw ParseError(id: id, message: "'\(name)Base64' is not a file name in Base64")
      }
      return FilePath(bytes: Array(bytes))
    }
    guard case .string(let name)? = text, !name.isEmpty, !name.utf8.contains(0) else {
      throw ParseError(id: id, message: "'\(name)' is missing or not a file name")
    }
    return FilePath(name)
  }

  private static func arguments(_ name: String, _ value: JSONValue, _ id: RequestID) throws(ParseError) -> [String] {
    let isName =
      !name.isEmpty && name.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "-") }
    guard isName else {
      throw ParseError(id: id, message: "the request has the unknown key '\(name)'")
    }
    switch value {
    case .bool(true): return ["--\(name)"]
    case .bool(false), .null: return []
    default:
      guard let text = text(value) else {
        throw ParseError(id: id, message: "'\(name)' has a value that no option can have")
      }
      return ["--\(name)=\(text)"]
    }
  }

  /// Returns the value as on the command line. List elements are separated by commas.
  private static func text(_ value: JSONValue) -> String? {
    switch value {
    case .integer(let value): return "\(value)"
    case .number(let value): return "\(value)"
    case .string(let value): return value
    case .array(let values):
      let texts = values.map { text($0) }
      return texts.contains(nil) || texts.isEmpty ? nil : texts.compactMap { $0 }.joined(separator: ",")
    case .null, .bool, .object: return nil
    }
  }

  /// Returns the arguments of a worker's command line that apply to its requests.
  static func defaults(of commandLine: [String]) -> [String] {
    GivenOptions(commandLine.dropFirst(2).map { Array($0.utf8) }, of: .batch).arguments {
      $0.places.isDisjoint(with: .worker)
    }
  }
}
