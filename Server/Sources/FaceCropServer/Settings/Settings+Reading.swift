import FoundationEssentials
import Yams

extension Settings {
  /// Reads the settings of a file, then of the environment, then of the command line. Later ones override earlier ones.
  ///
  /// - Parameters:
  ///   - file: YAML with names and values, or lists of values; nil for none.
  ///   - environment: The environment; only variables of settings are used.
  ///   - arguments: `--name value`, `--name=value`; a flag needs no value.
  init(file: String?, environment: [String: String], arguments: [String]) throws(Setting.Fault) {
    if let file { try read(file: file) }
    for setting in Setting.all {
      guard let text = environment[setting.variable], !setting.isServiceLink(text) else { continue }
      try set(setting, text, "\(setting.variable)")
    }
    try read(arguments: arguments)
    try check()
  }

  private mutating func set(_ setting: Setting, _ text: String, _ shown: String) throws(Setting.Fault) {
    do {
      try setting.set(&self, text)
      given.insert(setting.name)
    } catch {
      throw Setting.Fault(description: "\(shown) \(error)")
    }
  }

  private mutating func read(file: String) throws(Setting.Fault) {
    let node: Node?
    guard let data = try? Data(contentsOf: URL(filePath: file)) else {
      let reason =
        FileManager.default.fileExists(atPath: file)
        ? "cannot be read (name a file that the server may read)" : "does not exist (check the name)"
      throw Setting.Fault(description: "\(file): the file \(reason)")
    }
    do {
      node = try Yams.compose(yaml: String(decoding: data, as: UTF8.self))
    } catch {
      throw Setting.Fault(description: "\(file): the file cannot be read: \(error)")
    }
    guard let node else { return }
    guard let mapping = node.mapping else {
      throw Setting.Fault(description: "\(file): the file has no settings (write name: value)")
    }
    for (key, value) in mapping {
      let name = key.string ?? ""
      guard let setting = Setting.all.first(where: { $0.name == name }) else {
        throw Setting.Fault(description: "\(file): '\(name)' is not a setting (see --help)")
      }
      guard let text = value.scalar?.string ?? value.sequence?.compactMap(\.string).joined(separator: ",") else {
        throw Setting.Fault(description: "\(file): \(name) has no value")
      }
      try set(setting, text, "\(file): \(name)")
    }
  }

  private mutating func read(arguments: [String]) throws(Setting.Fault) {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard word.hasPrefix("--"), let setting = Setting.all.first(where: { "--\($0.name)" == parts[0] }) else {
        throw Setting.Fault(description: "'\(word)' is not an option (see --help)")
      }
      let value = parts.count > 1 ? parts[1] : rest.first?.hasPrefix("--") == false ? rest.popFirst()! : ""
      try set(setting, value, parts[0])
    }
  }

  /// Refuses settings that contradict each other.
  private func check() throws(Setting.Fault) {
    guard s3Buckets.isEmpty || !s3Endpoint.isEmpty else {
      throw Setting.Fault(description: "s3-buckets is set without s3-endpoint (set both)")
    }
    for key in thumborKeys + signingKeys where key.utf8.count < 16 {
      throw Setting.Fault(
        description: "a signing key is shorter than 16 characters, or has a comma (choose longer keys)")
    }
    guard playgroundToken.isEmpty || playgroundToken.utf8.count >= 16 else {
      throw Setting.Fault(description: "playground-token is shorter than 16 characters (choose a longer token)")
    }
    guard !playground && review.isEmpty || !playgroundToken.isEmpty || HostName.isLoopback(host) else {
      throw Setting.Fault(
        description: "the \(playground ? "playground" : "review") would be open to everybody who can reach \(host)"
          + " (set playground-token, or set host to 127.0.0.1)")
    }
  }

  /// All settings as a file that sets them again. A comment replaces each secret.
  var yaml: String {
    Setting.all.map { setting in
      let text = setting.text(self)
      if setting.isSecret, !text.isEmpty { return "# \(setting.name) is set\n" }
      return "\(setting.name): \(Self.isPlain(text) ? text : "\"\(jsonEscaped(text))\"")\n"
    }.joined()
  }

  /// Returns whether YAML reads the text back without quotes.
  private static func isPlain(_ text: String) -> Bool {
    let first = text.utf8.first.map { Character(UnicodeScalar($0)) }
    guard let first, first.isLetter || first.isNumber || first == "/" else { return false }
    return text.utf8.allSatisfy { byte in
      let character = Character(UnicodeScalar(byte))
      return character.isASCII && (character.isLetter || character.isNumber || "/._-".contains(character))
    }
  }
}
