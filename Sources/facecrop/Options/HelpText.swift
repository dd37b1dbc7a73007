/// Texts that the help of all commands shares.
enum HelpText {
  static let manual = "'man facecrop' explains every option."

  /// Returns the examples of a command, and the reference to the manual.
  static func examples(_ examples: String) -> String {
    let lines = examples.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
    return "EXAMPLES:\n\(lines)\n\n\(manual)"
  }
}
