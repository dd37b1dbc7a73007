extension Settings {
  /// Reads the settings of a file, then of the environment, then of the command line. Later ones override earlier ones.
  ///
  /// - Parameters:
  ///   - file: YAML with names and values, or lists of values; nil for none.
  ///   - environment: The environment; only variables of settings are used.
  ///   - arguments: `--name value`, `--name=value`; a flag needs no value.
  init(file: String?, environment: [String: String], arguments: [String]) throws(SettingsError) {
    if let file { try read(file: file) }
    for setting in Setting.all {
      guard let text = environment[setting.variable], !setting.isServiceLink(text) else { continue }
      try set(setting, text, setting.variable)
    }
    unknownVariables = environment.filter { Setting.isUnknown($0.key, $0.value) }.keys.sorted()
    try read(arguments: arguments)
    try check()
  }

  /// Sets a value. The fault shows only a value of the command line, which everybody on the machine can see. Those of
  /// the file and the environment may be keys in the wrong place.
  private mutating func set(
    _ setting: Setting, _ text: String, _ shown: String, showsValue: Bool = false
  ) throws(SettingsError) {
    let earlier = given[setting.name].map { (place: $0, text: setting.text(self)) }
    do {
      try setting.set(&self, text)
      if let earlier, earlier.text != setting.text(self) { overridden[setting.name] = earlier.place }
      given[setting.name] = shown
    } catch {
      throw SettingsError("\(shown) \(error)\(showsValue && !setting.isSecret ? ", not '\(text)'" : "")")
    }
  }

  private mutating func read(file: String) throws(SettingsError) {
    let file = SettingsFile(path: file)
    for entry in try file.entries() {
      try set(entry.setting, entry.text, file.fault(entry.setting.name, entry.line).description)
    }
  }

  private mutating func read(arguments: [String]) throws(SettingsError) {
    var rest = arguments[...]
    var last: Setting?
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard word.hasPrefix("--"), let setting = Setting.all.first(where: { "--\($0.name)" == parts[0] }) else {
        // A key in the wrong place, or behind a misspelled name, is not shown.
        if let last, last.isSecret, !word.hasPrefix("--") {
          throw SettingsError("--\(last.name) is followed by two values (separate several by commas)")
        }
        throw SettingsError("'\(parts[0])' is not an option (see --help)")
      }
      last = setting
      var given = parts.dropFirst().first
      if given == nil, rest.first?.hasPrefix("--") == false { given = rest.popFirst() }
      guard let value = given ?? (setting.isFlag ? "" : nil) else {
        throw SettingsError("Missing value for '\(word)'")
      }
      try set(setting, value, parts[0], showsValue: true)
    }
  }

  /// Refuses settings that contradict each other.
  private func check() throws(SettingsError) {
    guard s3Buckets.isEmpty || !s3Endpoint.isEmpty else {
      throw SettingsError("\(place("s3-buckets")) is set without s3-endpoint (set both)")
    }
    for (name, keys) in [("thumbor-key", thumborKeys), ("signing-key", signingKeys)]
    where keys.contains(where: { $0.utf8.count < 16 }) {
      throw SettingsError("\(place(name)) has a key shorter than 16 characters, or with a comma (choose longer keys)")
    }
    guard imgproxyKeys.allSatisfy({ Signature.imgproxyKey($0) != nil }) else {
      throw SettingsError("\(place("imgproxy-key")) must be KEY:SALT in hexadecimal digits (32 or more for the key)")
    }
    guard playgroundToken.isEmpty || playgroundToken.utf8.count >= 16 else {
      throw SettingsError("\(place("playground-token")) is shorter than 16 characters (choose a longer token)")
    }
  }

  /// All settings as a file that sets them again. A comment replaces each secret.
  var yaml: String {
    Setting.all.map { setting in
      let text = setting.text(self)
      if setting.isSecret, !text.isEmpty { return "# \(setting.name) is set\n" }
      return "\(setting.name): \(Self.isPlain(text) ? text : "\"\(DisplayText.jsonString(text))\"")\n"
    }.joined()
  }

  /// Returns whether YAML reads the text back without quotes.
  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.utf8.first, first.isPlain(or: "/") else { return false }
    return text.utf8.allSatisfy { $0.isPlain(or: "/._-") }
  }
}
