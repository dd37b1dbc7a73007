import ArgumentParser
import FaceCrop
import SystemPackage

/// The options and inputs of a command line, read once by the catalog. The parser checks what a command requires before
/// it looks for unknown options, and takes the value of an unknown option for another image. It also replaces invalid
/// UTF-8, and would name other files.
struct GivenOptions: Sendable {
  struct Option: Sendable {
    /// The name as given, with its dashes.
    var name: String
    /// The former option that was given instead of the row's.
    var former: OptionFact.Former?
    /// The value as given.
    var given: String?
    /// The row; nil for an option that the command lacks.
    var fact: OptionFact?
    /// Whether the name is that of the opposite, such as `--no-resume`.
    var isOff = false
    /// The value; nil for none.
    var value: String?
    /// The exact bytes of the value.
    var path: FilePath?
    /// The argument with the option.
    var word: String

    /// Whether a value is needed, and missing or another option.
    var lacksValue: Bool { fact?.takesValue == true && (given == nil || isDash && !word.contains("=")) }
    private var isDash: Bool { given!.hasPrefix("-") && value != Input.standard }

    /// The long name as given.
    var longName: String { "--\(former?.name ?? fact?.name ?? "")" }

    /// Whether it differs from the default.
    var hasEffect: Bool { !isOff && fact?.isNeutral(value) == false }

    /// The fault of the value by the catalog; nil for a good one.
    fileprivate var valueFault: String? {
      guard let fact, let value else { return nil }
      switch fact.values {
      case .file, .stream, .folder:
        if value.isEmpty { return "a file name is empty (name a file)" }
        if case .file = fact.values, value == Input.standard { return "\(name) cannot be - (name a file)" }
        if case .stream = fact.values, value.hasSuffix("/") {
          return "\(name) '\(value)' is a folder (name a file in it)"
        }
        return nil
      case .flag, .switched: return "\(name) has no value (leave out =\(value))"
      default: return fact.fault(value)
      }
    }
  }

  /// Those of this process.
  static let launch = GivenOptions(LaunchArguments.bytes.dropFirst(place == nil ? 1 : 2), of: place)
  /// The command of this process; nil for none, as in the help of all commands.
  static let place = LaunchArguments.texts.dropFirst().first.flatMap { word in
    OptionFact.Places.commands.first { $0.name == word }?.place
  }

  private let place: OptionFact.Places
  private var options: [Option] = []
  private(set) var inputs: [Input.Name] = []
  /// The arguments for the parser, with the options of today.
  private(set) var arguments: [String] = []

  init(_ line: some Sequence<[UInt8]>, of place: OptionFact.Places?) {
    self.place = place ?? []
    var rest = Array(line)[...]
    while let bytes = rest.popFirst() {
      let word = String(decoding: bytes, as: UTF8.self)
      arguments.append(word)
      if word == "--" { break }
      if word.hasPrefix("-"), word != Input.standard { add(word, bytes, &rest) } else { addInput(bytes) }
    }
    arguments += rest.map { String(decoding: $0, as: UTF8.self) }
    for bytes in rest { addInput(bytes) }
    joinSides()
    arguments = formers.map { "\($0.fact!.option)=\($0.value ?? "")" } + arguments
  }

  init(_ line: [String], of place: OptionFact.Places) { self.init(line.map { Array($0.utf8) }, of: place) }

  private mutating func addInput(_ bytes: [UInt8]) {
    inputs.append(Input.Name(text: String(decoding: bytes, as: UTF8.self), path: FilePath(bytes: bytes)))
  }

  private mutating func add(_ word: String, _ bytes: [UInt8], _ rest: inout ArraySlice<[UInt8]>) {
    let name = String(word.prefix { $0 != "=" })
    let joined = flags(name)
    for flag in joined.dropLast() { options.append(Option(name: flag, fact: row(flag).fact, word: word)) }
    var option = Option(name: joined.last ?? name, word: word)
    (option.fact, option.isOff) = row(option.name)
    var value: [UInt8]?
    if name != word {
      value = Array(bytes[(bytes.firstIndex(of: UInt8(ascii: "="))! + 1)...])
    } else if option.fact?.takesValue == true {
      value = rest.popFirst()
    }
    option.given = value.map { String(decoding: $0, as: UTF8.self) }
    option.former = option.fact?.former.first { "--\($0.name)" == name }
    option.value = option.given.flatMap { option.former?.value($0) ?? (option.former == nil ? $0 : nil) }
    if option.former != nil {
      arguments.removeLast()
    } else if name == word, let value = option.given {
      arguments.append(value)
    }
    option.path = value.map { FilePath(bytes: $0) }
    options.append(option)
  }

  /// Returns the flags that are joined in a word, as in `-rd`, whose last one can have a value; empty for other words.
  private func flags(_ name: String) -> [String] {
    guard name.count > 2, !name.hasPrefix("--") else { return [] }
    let names = name.dropFirst().map { "-\($0)" }
    let facts = names.map { row($0).fact }
    return facts.allSatisfy { $0 != nil } && facts.dropLast().allSatisfy { !$0!.takesValue } ? names : []
  }

  /// Returns the row of a name with its dashes, and whether it is the opposite's name.
  private func row(_ name: String) -> (fact: OptionFact?, isOff: Bool) {
    func own(_ long: Substring) -> OptionFact? {
      OptionFact.named(String(long), for: place).flatMap { $0.places.isDisjoint(with: place) ? nil : $0 }
    }
    guard name.hasPrefix("--") else {
      let letter = name.count == 2 ? name.last : nil
      return (OptionFact.all.first { $0.short == letter && letter != nil && !$0.places.isDisjoint(with: place) }, false)
    }
    if let fact = own(name.dropFirst(2)) ?? OptionFact.formerly(name.dropFirst(2), for: place) { return (fact, false) }
    if name.hasPrefix("--no-"), let fact = own(name.dropFirst(5)), case .switched = fact.values { return (fact, true) }
    return (nil, false)
  }

  // MARK: Former names

  private var formers: [Option] { options.filter { $0.former != nil } }

  /// Makes one size of a width and a height.
  private mutating func joinSides() {
    guard let width = last(former: "width"), let height = last(former: "height"), let value = options[height].value
    else { return }
    options[width].value = options[width].value.map { $0 + value.dropFirst() }
    options.removeAll { $0.former?.name == "height" }
  }

  private func last(former name: String) -> Int? { options.lastIndex { $0.former?.name == name } }

  /// What to write instead of former options; nil without any.
  var note: String? {
    let notes = formers.map { "\($0.name) is \($0.fact!.option) \($0.value ?? "") now" }
    return notes.isEmpty ? nil : "note: \(notes.joined(separator: ", and ")) (the next version has only the new name)"
  }

  /// A message about a former option that has no value of today, or that is given beside the one of today; nil for none.
  private var formerFault: String? {
    for option in formers {
      let fact = option.fact!
      if option.value == nil {
        return "\(option.name) '\(option.given ?? "")' is not valid (write \(fact.option) 35x45mm, in mm, cm or in)"
      }
      if let other = options.first(where: { $0.fact?.name == fact.name && $0.name != option.name })?.name {
        return "\(option.name) is \(fact.option) now, and \(other) is given, too (leave out one of them)"
      }
    }
    return nil
  }

  // MARK: Questions

  /// Whether the parser answers instead of the command, with help, the version or a completion script.
  var asksTheParser: Bool { options.contains(where: Self.isQuestion) }

  private static func isQuestion(_ option: Option) -> Bool {
    ["-h", "--help", "--help-all", "--help-hidden", "--version", "--experimental-dump-help"].contains(option.name)
      || option.name.hasPrefix("--generate-completion")
  }

  /// Whether the help has only the options that people use.
  var asksForShortHelp: Bool { options.contains { $0.name == "-h" || $0.name == "--help" } }

  /// Whether the user asked for JSON by an option that the command has.
  var askForJSON: Bool { has("json") || last("progress")?.value == ProgressChoice.json.rawValue }

  /// Returns whether an option is given.
  func has(_ name: String) -> Bool { last(name) != nil }

  private func last(_ name: String) -> Option? { options.last { $0.fact?.name == name } }

  /// Returns the exact path that an option has; nil without the option.
  func path(of name: String) -> FilePath? { last(name)?.path }

  /// Returns the exact path of an option's value, which the parser read as a text.
  func path(_ text: String, of name: String) -> FilePath {
    guard let given = last(name), given.value == text, let path = given.path else { return FilePath(text) }
    return path
  }

  /// Returns the options that fit, as they were given.
  func arguments(where fits: (OptionFact) -> Bool) -> [String] {
    options.filter { $0.fact.map(fits) ?? true }.map { option in
      option.given.map { "\(option.name)=\($0)" } ?? option.name
    }
  }

  /// Returns the names of the given options that a plan has decided; nil for none.
  ///
  /// - Parameter others: Names that are left out.
  func ignoredByPlans(but others: Set<String> = []) -> String? {
    let words = clashing(.plan).filter { !others.contains($0) }
    guard let last = words.last else { return nil }
    return words.count == 1 ? last : words.dropLast().joined(separator: ", ") + " and " + last
  }

  /// Returns the remedy for ignored options as the end of a message. A preset is often that of the plans, and then
  /// nothing is wrong.
  static func remedy(for words: String) -> String {
    words == "--preset" ? "" : " (leave out --plan-in to use \(words.contains(" and ") ? "them" : "it"))"
  }

  /// Returns the names of the given options without an effect in a mode, in the order of the catalog.
  private func clashing(_ mode: OptionFact.Mode) -> [String] {
    OptionFact.all.compactMap { fact in
      guard !fact.places.isDisjoint(with: place), let given = last(fact.name), given.hasEffect,
        fact.isUnfit(given.value, in: mode)
      else { return nil }
      return given.longName
    }
  }

  // MARK: Checks

  /// Refuses options that the command lacks, invalid values, and options without an effect.
  func check() throws(ValidationError) {
    if place != .request, asksTheParser { return }
    if let fault = unknown ?? joined ?? lacking ?? formerFault ?? options.lazy.compactMap(\.valueFault).first {
      throw ValidationError(fault)
    }
    if !place.isDisjoint(with: .single), let other = inputs.dropFirst().first {
      let preset = place == .avatar ? " --preset avatar" : ""
      throw ValidationError(
        "Unexpected argument '\(other.text)' (crop several images with facecrop batch\(preset) a.jpg b.jpg -d folder)")
    }
    for input in inputs {
      if input.text.isEmpty { throw ValidationError("a file name is empty (name a file)") }
      try Input.checkIsNoURL(input.text)
    }
    try checkModes()
  }

  /// A message about the first unknown option, with a hint; nil for none.
  private var unknown: String? {
    guard let name = options.first(where: { $0.fact == nil && !Self.isJoinedValue($0, row) })?.name else { return nil }
    if name.count > 2, !name.hasPrefix("--") {
      return "'\(name)' begins with a dash like an option (write ./\(name) for a file)"
    }
    guard !place.isEmpty else { return "Unknown option '\(name)'" }
    if let command = OptionFact.Places.commands.first(where: { place == $0.place })?.name {
      let other = OptionFact.all.lazy.filter { row in
        row.option == name || row.otherNames.contains(name) || row.short.map { "-\($0)" == name } ?? false
      }.compactMap { $0.elsewhere.first { $0.places.contains(place) }?.remedy }.first
      if let other { return "\(command) has no option \(name) (\(other))" }
      if has("blur"), row("--blur-\(name.dropFirst(2))").fact != nil {
        return "\(command) has no option \(name) (did you mean --blur-\(name.dropFirst(2))?)"
      }
    }
    // A short name has few letters to recognize it by.
    let most = min(3, (name.count - 2) / 2)
    let known = OptionFact.all.filter { !$0.places.isDisjoint(with: place) && !$0.isInternal }.map(\.option).sorted()
    let near = name.hasPrefix("--") ? NearestWord.to(name, of: known, within: most) : nil
    return "Unknown option '\(name)'" + (near.map { " (did you mean '\($0)'?)" } ?? "")
  }

  /// Returns whether it is a one-letter option with its value in one argument, such as `-j2`.
  private static func isJoinedValue(_ option: Option, _ row: (String) -> (fact: OptionFact?, isOff: Bool)) -> Bool {
    let name = option.name
    return !name.hasPrefix("--") && name.count > 2 && row(String(name.prefix(2))).fact?.takesValue == true
  }

  private var joined: String? {
    guard let word = options.first(where: { Self.isJoinedValue($0, row) })?.word else { return nil }
    let (option, value) = (word.prefix(2), word.dropFirst(2))
    let file = Int(value) == nil ? ", or ./\(word) for a file" : ""
    return "'\(word)' has an option and its value in one word (write \(option) \(value)\(file))"
  }

  private var lacking: String? {
    guard let option = options.first(where: \.lacksValue), let fact = option.fact else { return nil }
    let synopsis = "\(option.name) <\(fact.valueName ?? fact.name)>"
    if option.word != option.name {
      return
        "'\(option.word)' is not an option, or its '\(synopsis)' lacks a value (write each option as a word of its own)"
    }
    // A negative number begins like an option.
    if let value = option.given, Double(value.prefix { $0 != "," }) != nil {
      return fact.syntax == nil
        ? "\(option.name) '\(value)' is not valid (write \(option.name)=\(value))" : fact.refusal(value)
    }
    return
      "Missing value for '\(synopsis)' (write a value that begins with a dash as --size=-5, and a file name as ./-name)"
  }

  private func checkModes() throws(ValidationError) {
    // What only a whole run has, and no worker.
    let ofRuns = options.first { $0.hasEffect && $0.fact?.places.isDisjoint(with: [.worker, .request]) == true }
    if has("worker"), let word = inputs.isEmpty ? ofRuns?.fact?.option : "inputs" {
      throw ValidationError("--worker takes its inputs and outputs from standard input (leave out \(word))")
    }
    func refuse(_ mode: OptionFact.Mode, if isOn: Bool, _ fault: (String) -> String) throws(ValidationError) {
      if isOn, let word = clashing(mode).first { throw ValidationError(fault(word)) }
    }
    try refuse(.series, if: has("series")) { "--series measures all images, and sizes their heads (leave out \($0))" }
    try refuse(.bestOf, if: has("best-of")) { "--best-of compares all images (leave out \($0))" }
    try refuse(.lossless, if: has("lossless")) { "--lossless copies a JPEG file's pixels unchanged (leave out \($0))" }
    try refuse(.dryRun, if: has("dry-run")) { "--dry-run writes and removes no files (leave out --dry-run or \($0))" }
    try refuse(.haar, if: last("detector")?.value == DetectorChoice.haar.rawValue) {
      "\($0) needs landmarks, which --detector haar does not find (use --detector yunet)"
    }
    try refuse(.blur, if: has("blur")) { "--blur keeps whole images as they are (leave out \($0))" }
    try refuse(.template, if: has("template")) {
      "--template sets the size and the place of the face (leave out \($0) or --template)"
    }
    let social = last("preset")?.value.flatMap { SocialFormat(rawValue: $0) }.map { "--preset \($0.rawValue)" }
    if let asked = last("fill")?.longName ?? social {
      let preset = last("preset")?.value
      let word = asked != social && preset != nil && preset != "crop" ? "--preset" : clashing(.largest).first
      if let word {
        throw ValidationError(
          "\(asked) takes the largest region, which leaves no choice to \(word) (leave out one of them)")
      }
    }
    for option in options {
      guard option.hasEffect, let fact = option.fact, let needs = fact.needs else { continue }
      let value = last(needs.option)?.value
      if last(needs.option)?.hasEffect == true, needs.value == nil || needs.value == value { continue }
      let needed = ["--\(needs.option)", needs.value].compactMap { $0 }.joined(separator: " ")
      let added = ["--\(needs.option)", needs.example].compactMap { $0 }.joined(separator: " ")
      throw ValidationError("\(fact.option) works with \(needed) only (add \(added), or leave it out)")
    }
  }
}
