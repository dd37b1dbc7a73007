import ArgumentParser

extension CommandConfiguration {
  /// Returns the examples of a command, and the reference to the manual.
  static func examples(_ examples: String) -> String {
    let lines = examples.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
    return "EXAMPLES:\n\(lines)\n\n--help-all lists all options, and 'man facecrop' explains them."
  }

  /// Creates the configuration of a command. `usage` follows its name and the options.
  init(_ name: String, _ abstract: String, usage: String, examples: String) {
    self.init(
      commandName: name, _superCommandName: "facecrop", abstract: abstract,
      usage: "facecrop \(name) [<options>] \(usage)", discussion: Self.examples(examples))
  }
}

/// The titles of option groups in the help and the man page. Groups with the same title are shown together.
enum HelpTitle {
  static let input = "Input"
  static let output = "Output"
  static let faces = "Faces"
  static let blur = "Blur"
  static let framing = "Framing"
  static let size = "Size"
  static let paper = "Paper"
  static let encoding = "Encoding"
  static let color = "Color and metadata"
  static let resuming = "Resuming"
  static let plans = "Plans"
  static let running = "Jobs and memory"
  static let limits = "Limits"
  static let reporting = "Reporting"
}
