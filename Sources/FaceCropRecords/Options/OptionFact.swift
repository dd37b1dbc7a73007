/// A row of the catalog of options: all facts about an option but its effect. From it come the checks of values and of
/// options that exclude each other, hints, lists of options without an effect, helps, and documents.
///
/// An option may have several rows, if its values or its help differ between commands.
public struct OptionFact: Sendable {
  /// The commands and other places that have the option.
  public struct Places: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let avatar = Places(rawValue: 1)
    public static let batch = Places(rawValue: 1 << 1)
    public static let blur = Places(rawValue: 1 << 2)
    public static let check = Places(rawValue: 1 << 3)
    public static let crop = Places(rawValue: 1 << 4)
    public static let detect = Places(rawValue: 1 << 5)
    public static let info = Places(rawValue: 1 << 6)
    public static let sheet = Places(rawValue: 1 << 7)
    /// A line on a worker's standard input, which Python writes.
    public static let request = Places(rawValue: 1 << 8)
    /// The command line of `batch --worker`, beside the options of requests.
    public static let worker = Places(rawValue: 1 << 9)

    /// The query of `/crop` and `/meta`, and that of `/blur`.
    public static let cropURL = Places(rawValue: 1 << 10)
    public static let blurURL = Places(rawValue: 1 << 11)

    /// The commands by their names, in this order.
    public static let commands: [(name: String, place: Places)] = [
      ("avatar", .avatar), ("batch", .batch), ("blur", .blur), ("check", .check), ("crop", .crop), ("detect", .detect),
      ("info", .info), ("sheet", .sheet),
    ]
    public static let single: Places = [.avatar, .crop]
    public static let crops: Places = [.avatar, .batch, .crop, .request]
    public static let urls: Places = [.cropURL, .blurURL]
    public static let formats: Places = [.avatar, .batch, .blur, .crop, .request]
    public static let detectors: Places = [.avatar, .batch, .blur, .crop, .detect, .sheet, .request]
    public static let all: Places = [.avatar, .batch, .blur, .check, .crop, .detect, .info, .sheet, .request]

    /// The names of the commands: `batch and crop`.
    fileprivate var named: String {
      Self.commands.filter { contains($0.place) }.map(\.name).joined(separator: " and ")
    }
  }

  public enum Values: Sendable {
    /// None: the option stands alone.
    case flag
    /// None; the option is on, and its opposite begins with `no-`.
    case switched
    case choice([String])
    case whole(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case text
    /// A file; as a stream also `-`, standard input or output.
    case file, stream, folder
  }

  /// A way of working that leaves no effect to other options.
  public enum Mode: Sendable {
    /// `--lossless`
    case lossless
    /// `--blur`
    case blur
    /// `--template`
    case template
    /// `--fill`, and the presets for platforms
    case largest
    /// `--series`
    case series
    /// `--best-of`
    case bestOf
    /// `--plan-in`, which ignores the options
    case plan
    /// `--dry-run`
    case dryRun
    /// `--detector haar`, which finds no landmarks
    case haar
  }

  /// A former option with a value, by its name without dashes.
  public struct Former: Sendable {
    public let name: String
    /// Returns the value for the option of today; nil for a text that is none.
    public let value: @Sendable (String) -> String?
  }

  /// The name without dashes.
  public let name: String
  public let short: Character?
  public let places: Places
  public let values: Values
  /// The placeholder of the value in helps; nil for the name.
  public let valueName: String?
  /// The effect, as a sentence.
  public let effect: String
  /// Examples and notes for the help.
  let more: String?
  /// The default.
  public let usual: String?
  /// The defaults by commands, as words.
  let usually: [(places: Places, words: String)]
  /// The unit of a number.
  let unit: String?
  /// The way to write a value, as an object of "write".
  private let form: String?
  /// The range, if it is not simply from one number to another.
  private let bound: String?
  /// Whether a text is a value beside the listed ones.
  private let accepts: (@Sendable (String) -> Bool)?
  /// The modes in which the option has no effect.
  let unfit: [Mode]
  /// The values that have none, if the others have one.
  let unfitValues: [Mode: @Sendable (String) -> Bool]
  /// The option without which this one has no effect, with the value that it needs, and the value to add.
  public let needs: (option: String, value: String?, example: String?)?
  /// What to do instead in commands that lack the option. Names of other programs' options count as this one's.
  public let elsewhere: [(places: Places, remedy: String)]
  public let otherNames: [String]
  /// The options of version 0.1 that are values of this one now.
  public let former: [Former]
  /// Whether only facecrop's own programs pass the option.
  public let isInternal: Bool

  public init(
    _ name: String, short: Character? = nil, _ places: Places, _ values: Values, value: String? = nil,
    _ effect: String, _ more: String? = nil, usual: String? = nil, usually: [(Places, String)] = [],
    unit: String? = nil, form: String? = nil, bound: String? = nil, accepts: (@Sendable (String) -> Bool)? = nil,
    unfit: [Mode] = [], unfitValues: [Mode: @Sendable (String) -> Bool] = [:],
    needs: (String, value: String?, example: String?)? = nil,
    elsewhere: [(Places, String)] = [], otherNames: [String] = [], former: [Former] = [],
    isInternal: Bool = false
  ) {
    (self.name, self.short, self.places, self.values, valueName) = (name, short, places, values, value)
    (self.effect, self.more, self.usual, self.unit, self.form) = (effect, more, usual, unit, form)
    (self.bound, self.accepts, self.unfit, self.isInternal, self.former) = (bound, accepts, unfit, isInternal, former)
    (self.usually, self.elsewhere, self.otherNames, self.unfitValues) = (usually, elsewhere, otherNames, unfitValues)
    self.needs = needs.map { ($0.0, $0.value, $0.example) }
  }

  /// Returns whether a value is as good as no value, because it is the default of several.
  public func isNeutral(_ value: String?) -> Bool { !choices.isEmpty && value == usual }

  /// Returns whether a value has no effect in a mode.
  public func isUnfit(_ value: String?, in mode: Mode) -> Bool {
    unfit.contains(mode) && unfitValues[mode]?(value ?? "") ?? true
  }

  /// The option in words of the command line.
  public var option: String { "--\(name)" }

  public var takesValue: Bool {
    switch values {
    case .flag, .switched: false
    default: true
    }
  }

  /// The listed values; empty for others.
  public var choices: [String] { if case .choice(let values) = values { values } else { [] } }

  /// The range of a number as words: `1 to 100`.
  public var range: String? {
    let ends: String? =
      switch values {
      case .whole(let range): "\(range.lowerBound) to \(range.upperBound)"
      case .number(let range): "\(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
      default: nil
      }
    return bound ?? ends.map { unit == nil ? $0 : "\($0) \(unit!)" }
  }

  private static func text(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? "\(number)" }

  /// The way to write a value, as an object of "write".
  public var syntax: String? {
    if let form { return form }
    switch values {
    case .choice(let values): return values.joined(separator: ", ")
    case .whole: return bound == nil ? "a whole number from \(range!)" : "a whole number, such as 4"
    case .number: return "a number from \(range!)"
    case .text, .file, .stream, .folder, .flag, .switched: return nil
    }
  }

  /// Returns what is wrong with a value, without the reason; nil for a good one, as far as the catalog knows.
  public func fault(_ value: String) -> String? {
    switch values {
    case .choice(let values) where !values.contains(value) && accepts?(value) != true: refusal(value)
    case .whole(let range): Int(value).flatMap { range.contains($0) ? nil : excess(value) }
    case .number(let range): Double(value).flatMap { range.contains($0) ? nil : excess(value) }
    default: nil
    }
  }

  private func excess(_ value: String) -> String { "\(option) \(value) is out of range (use \(range!))" }

  /// Returns that a value cannot be one of the option's, with a reason or the way to write it.
  public func refusal(_ value: String, because reason: String? = nil) -> String {
    let remedy = reason.map { ": \($0)" } ?? syntax.map { " (write \($0))" } ?? ""
    return "\(option) '\(value)' is not valid\(remedy)"
  }

  /// Returns the text of the help for a command, or for all. `showsDefault` is false if the parser writes the default.
  public func help(for command: Places?, showsDefault: Bool) -> String {
    let name = Places.commands.first { $0.place == command }?.name
    let words = usually.first { command.map($0.places.isSuperset) ?? false }?.words
    let all = usually.map { "\($0.places.named): \($0.words)" }.joined(separator: "; ")
    let byDefault = words ?? (command == nil && !all.isEmpty ? all : showsDefault ? usual : nil)
    let isShown = bound == nil && unit != "seconds"
    let facts = [
      name.flatMap { more?.replacing("COMMAND", with: $0) } ?? more, isShown ? range.map { "range: \($0)" } : nil,
      byDefault.map { "default: \($0)" },
    ].compactMap { $0 }
    return facts.isEmpty ? effect : "\(effect) (\(facts.joined(separator: "; ")))"
  }
}
