import ArgumentParser
import FoundationEssentials

/// The options of a command, and those in a command line. The parser checks what a command requires before it looks for
/// unknown options. The value of an unknown option then counts as another image.
struct KnownOptions {
  /// The parser's description of itself.
  private struct Dump: Decodable {
    struct Command: Decodable { var arguments: [Argument]? }
    struct Argument: Decodable {
      var kind: String
      var names: [Name]?
    }
    struct Name: Decodable {
      var kind: String
      var name: String
    }
    var command: Command
  }

  /// The names with their dashes, and whether a value follows.
  private let takesValue: [String: Bool]

  init<Arguments: ParsableArguments>(of type: Arguments.Type) {
    takesValue = Self.read(type)
  }

  private static func read<Arguments: ParsableArguments>(_ type: Arguments.Type) -> [String: Bool] {
    do {
      _ = try type.parse(["--experimental-dump-help"])
      return [:]
    } catch {
      let text = type.fullMessage(for: error)
      guard let dump = try? JSONDecoder().decode(Dump.self, from: Data(text.utf8)) else { return [:] }
      var options: [String: Bool] = [:]
      for argument in dump.command.arguments ?? [] {
        for name in argument.names ?? [] {
          options[name.kind == "short" ? "-\(name.name)" : "--\(name.name)"] = argument.kind == "option"
        }
      }
      return options
    }
  }

  /// An option in a command line.
  private struct Given {
    var name: String
    /// The value after the equals sign, or in the next argument; nil for none.
    var value: String?
    /// The argument with the option.
    var word: String
  }

  private func given(in arguments: [String]) -> [Given] {
    var given: [Given] = []
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if word == "--" { break }
      guard word.hasPrefix("-"), word != "-" else { continue }
      let name = String(word.prefix { $0 != "=" })
      var value = name == word ? nil : String(word.dropFirst(name.count + 1))
      // Flags can be joined, as in -rd, and the last one can have a value.
      let last = name.hasPrefix("--") ? name : "-\(name.suffix(1))"
      if value == nil, takesValue[name] == true || isJoinedFlags(name) && takesValue[last] == true {
        value = rest.popFirst()
      }
      given.append(Given(name: name, value: value, word: word))
    }
    return given
  }

  private func isJoinedFlags(_ name: String) -> Bool {
    name.count > 2 && !name.hasPrefix("--") && name.dropFirst().allSatisfy { takesValue["-\($0)"] != nil }
      && name.dropFirst().dropLast().allSatisfy { takesValue["-\($0)"] == false }
  }

  /// Returns whether the user asked for JSON by an option that the command has.
  func askForJSON(_ arguments: [String]) -> Bool {
    given(in: arguments).contains { option in
      guard takesValue[option.name] != nil else { return false }
      return option.name == "--json" || option.name == "--progress" && option.value == ProgressChoice.json.rawValue
    }
  }

  /// Returns a message that begins like the parser's about the first unknown option; nil for none.
  func unknown(in arguments: [String]) -> String? {
    guard !takesValue.isEmpty else { return nil }
    let unknown = given(in: arguments).map(\.name).first { name in
      takesValue[name] == nil && (name.hasPrefix("--") || name.count == 2)
    }
    guard let unknown else { return nil }
    let long = takesValue.keys.filter { $0.hasPrefix("--") }.sorted()
    // A short name has few letters to recognize it by.
    let most = min(3, (unknown.count - 2) / 2)
    let near = unknown.hasPrefix("--") ? UsageHint.nearest(to: unknown, of: long, within: most) : nil
    return "Unknown option '\(unknown)'" + (near.map { ". Did you mean '\($0)'?" } ?? "")
  }

  /// Returns a message about a one-letter option with its value in one argument, such as `-j2`, if `message` names it;
  /// nil for none.
  func joined(in arguments: [String], namedBy message: String) -> String? {
    for word in given(in: arguments).map(\.word) where !word.hasPrefix("--") && message.contains("'\(word)'") {
      let (option, value) = (String(word.prefix(2)), word.dropFirst(2))
      guard takesValue[option] == true, !value.isEmpty, value.first != "=" else { continue }
      let file = Int(value) == nil ? ", or ./\(word) for a file" : ""
      return "'\(word)' has an option and its value in one word (write \(option) \(value)\(file))"
    }
    return nil
  }
}
