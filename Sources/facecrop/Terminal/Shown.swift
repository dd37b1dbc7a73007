/// Text for people's eyes. Names of files, of color profiles and the words of a command line may be others', and what they have in
/// them is said, not done: whatever is printed goes through here.
enum Shown {
  /// The text with what steers a terminal, or turns the order of letters, in Swift's notation: `\n`, `\u{1B}`. A second time
  /// nothing is changed.
  static func text(_ text: String) -> String {
    escaped(text) { scalar in
      switch scalar {
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
    }
  }

  /// Lines of JSON with it in JSON's notation, which only texts have use for. JSON's own rules end at U+001F.
  static func json(_ text: String) -> String {
    escaped(text) { scalar in
      // Between tokens JSON may have line ends and blanks.
      guard scalar.value >= 0x20 else { return String(scalar) }
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }

  private static func escaped(_ text: String, _ notation: (Unicode.Scalar) -> String) -> String {
    guard text.unicodeScalars.contains(where: steers) else { return text }
    var escaped = ""
    for scalar in text.unicodeScalars {
      if steers(scalar) { escaped += notation(scalar) } else { escaped.unicodeScalars.append(scalar) }
    }
    return escaped
  }

  /// C0, DEL, C1, ends of lines and paragraphs, and what bidirectional text is ordered by; all in the first plane.
  private static func steers(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00..<0x20, 0x7F..<0xA0, 0x2028...0x2029: true
    case ..<0x600: false
    default: scalar.properties.isBidiControl
    }
  }
}
