/// The reason why settings cannot be used.
struct SettingsError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// A named setting: `name: value` in the file, `FACECROP_NAME` in the environment, and `--name` on the command line.
struct Setting: Sendable {
  let name: String
  let help: String
  /// Whether its value must not be shown.
  var isSecret = false
  /// Whether the command line can name it without a value.
  var isFlag = false
  /// The parser of the value.
  ///
  /// - Throws: An error whose description follows the setting's name, such as "must be true or false". It never has the
  ///   value.
  let set: @Sendable (inout Settings, String) throws(SettingsError) -> Void
  /// The value's formatter, whose text can be set again.
  let text: @Sendable (Settings) -> String

  /// The name in the environment.
  var variable: String { "FACECROP_" + name.uppercased().replacing("-", with: "_") }

  /// The variables of the library, which are no settings.
  private static let libraryVariables: Set = ["FACECROP_MODELS"]

  /// Returns whether a variable of the environment has the prefix of settings, but stands for none. Variables of the
  /// library are known. So are those that Kubernetes sets for a service such as "facecrop-web":
  /// FACECROP_WEB_SERVICE_HOST, FACECROP_WEB_PORT=tcp://10.0.0.1:80, FACECROP_WEB_PORT_80_TCP.
  static func isUnknown(_ variable: String, _ value: String) -> Bool {
    guard variable.hasPrefix("FACECROP_"), !libraryVariables.contains(variable),
      !all.contains(where: { $0.variable == variable })
    else { return false }
    let isServiceLink =
      variable.contains("_SERVICE_HOST") || variable.contains("_SERVICE_PORT")
      || variable.split(separator: "_").contains { $0.allSatisfy(\.isNumber) }
      || variable.hasSuffix("_PORT") && value.contains("://")
    return !isServiceLink
  }

  /// Returns whether Kubernetes set the variable for a service called "facecrop", which is no setting:
  /// FACECROP_PORT=tcp://10.0.0.1:80.
  func isServiceLink(_ text: String) -> Bool {
    name == "port" && ["tcp://", "udp://", "sctp://"].contains { text.hasPrefix($0) }
  }
}

extension Setting {
  typealias Place<Value> = any (WritableKeyPath<Settings, Value> & Sendable)

  /// Creates a setting from the parser of its value. `parse` returns nil for a text that is no value, and `must` then
  /// returns the form of a value for the error.
  private init<Value>(
    _ name: String, _ place: Place<Value>, _ help: String, isSecret: Bool = false, isFlag: Bool = false,
    must: @escaping @Sendable (String) -> String = { _ in "" }, parse: @escaping @Sendable (String) -> Value?,
    text: @escaping @Sendable (Value) -> String
  ) {
    self.init(
      name: name, help: help, isSecret: isSecret, isFlag: isFlag,
      set: { (settings, text) throws(SettingsError) in
        guard let value = parse(text) else { throw SettingsError("must be \(must(text))") }
        settings[keyPath: place] = value
      }, text: { text($0[keyPath: place]) })
  }

  static func text(_ name: String, _ place: Place<String>, _ help: String, isSecret: Bool = false) -> Setting {
    Setting(name, place, help, isSecret: isSecret, parse: { $0 }, text: { $0 })
  }

  /// Creates a setting for several texts, separated by commas.
  static func list(_ name: String, _ place: Place<[String]>, _ help: String, isSecret: Bool = false) -> Setting {
    Setting(
      name, place, help, isSecret: isSecret,
      parse: { text in
        text.split(separator: ",").map { part in
          String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
      }, text: { $0.joined(separator: ",") })
  }

  /// Creates a setting for one of a type's words, which its help lists.
  static func choice<Value>(_ name: String, _ place: Place<Value>, _ help: String) -> Setting
  where Value: RawRepresentable<String> & CaseIterable & SendableMetatype {
    let words = Value.allCases.map(\.rawValue).joined(separator: ", ")
    return Setting(
      name, place, "\(help): \(words).", must: { _ in "one of \(words)" }, parse: { Value(rawValue: $0) },
      text: { $0.rawValue })
  }

  static func flag(_ name: String, _ place: Place<Bool>, _ help: String) -> Setting {
    Setting(
      name, place, help, isFlag: true, must: { _ in "true or false" },
      parse: { text in
        switch text.lowercased() {
        case "true", "yes", "on", "1", "": true
        case "false", "no", "off", "0": false
        default: nil
        }
      }, text: { "\($0)" })
  }

  static func number(_ name: String, _ place: Place<Int>, _ range: ClosedRange<Int>, _ help: String) -> Setting {
    Setting(name, place, help, must: { _ in words(range) }, parse: { number($0, range) }, text: { "\($0)" })
  }

  /// Creates a setting for a number; without one, it follows from other settings.
  static func number(_ name: String, _ place: Place<Int?>, _ range: ClosedRange<Int>, _ help: String) -> Setting {
    Setting(
      name, place, help, must: { _ in words(range) },
      parse: { $0.isEmpty ? .some(nil) : number($0, range).map { .some($0) } }, text: { $0.map { "\($0)" } ?? "" })
  }

  private static func number(_ text: String, _ range: ClosedRange<Int>) -> Int? {
    Int(text).flatMap { range.contains($0) ? $0 : nil }
  }

  private static func words(_ range: ClosedRange<Int>) -> String {
    "a whole number from \(range.lowerBound) to \(range.upperBound)"
  }

  /// Creates a setting for bytes: 1000000, 20MiB, 1GiB.
  static func bytes(_ name: String, _ place: Place<Int>, from least: Int = 1, _ help: String) -> Setting {
    Setting(
      name, place, help,
      must: { text in
        Quantity.bytes.number(in: text) == nil
          ? "a whole number of bytes, or one with a unit such as 1.5GiB, below 8388608TiB" : "at least \(sized(least))"
      }, parse: { Quantity.bytes.number(in: $0).flatMap { $0 >= least ? $0 : nil } }, text: sized)
  }

  @Sendable
  private static func sized(_ bytes: Int) -> String {
    bytes > 0 && bytes % (1 << 20) == 0 ? "\(bytes >> 20)MiB" : "\(bytes)"
  }

  /// Creates a setting for pixels, up to a number of megapixels: 50000000, 50MP.
  static func pixels(_ name: String, _ place: Place<Int>, megapixels: Int, _ help: String) -> Setting {
    Setting(
      name, place, help, must: { _ in "a whole number up to \(megapixels)MP, such as 50000000 or 50MP" },
      parse: { Quantity.pixels.number(in: $0).flatMap { (1...megapixels * 1_000_000).contains($0) ? $0 : nil } },
      text: { $0 % 1_000_000 == 0 ? "\($0 / 1_000_000)MP" : "\($0)" })
  }

  static func seconds(_ name: String, _ place: Place<Duration>, _ help: String) -> Setting {
    Setting(
      name, place, help, must: { _ in "a number of seconds from 0.001 to 31536000" },
      parse: { text in
        Double(text).flatMap { (0.001...31_536_000).contains($0) ? .milliseconds(Int64(($0 * 1_000).rounded())) : nil }
      },
      text: { duration in
        let seconds = duration / .seconds(1)
        return seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
      })
  }
}
