/// Text that the help of all commands shares.
enum HelpText {
  static let manual = "'man facecrop' explains every option."

  /// Below a command's first sentence: its examples, and where to read more.
  static func examples(_ examples: String) -> String {
    let lines = examples.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
    return "EXAMPLES:\n\(lines)\n\n\(manual)"
  }
}
