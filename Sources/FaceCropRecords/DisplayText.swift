/// Text for display. Names of files and color profiles, and words of a command line, can be untrusted. All printed text
/// goes through here, so that control characters have no effect.
public enum DisplayText {
  /// Escapes control characters, and those that change the order of letters, in Swift's notation: `\n`, `\u{1B}`. A
  /// second call changes nothing.
  public static func text(_ text: String) -> String {
    escaped(text) { scalar in
      switch scalar {
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
    }
  }

  /// Returns a number with its noun, and its verb if there is one: `1 output is`, `2 outputs are`. The plural ends in s.
  public static func count(_ count: Int, _ noun: String, _ verb: String? = nil, _ verbs: String? = nil) -> String {
    let words = ["\(count)", count == 1 ? noun : "\(noun)s"] + [count == 1 ? verb : verbs].compactMap { $0 }
    return words.joined(separator: " ")
  }

  /// Escapes such characters in lines of JSON, where only strings contain them. JSON's own rules end at U+001F.
  public static func json(_ text: String) -> String {
    escaped(text) { scalar in
      // Line ends and blanks between JSON tokens stay unchanged.
      scalar.value >= 0x20 ? code(scalar) : String(scalar)
    }
  }

  /// Escapes a text for a JSON string, including such characters.
  public static func jsonString(_ text: String) -> String {
    escaped(text, { steers($0) ? code($0) : "\\\($0)" }, where: { $0 == "\"" || $0 == "\\" || steers($0) })
  }

  /// Returns the escape of a character of the basic plane in a JSON string (RFC 8259, section 7).
  private static func code(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// Escapes all characters outside ASCII, to tell Unicode forms apart that look the same.
  public static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { $0.isASCII ? String($0) : "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
      .joined()
  }

  private static func escaped(
    _ text: String, _ notation: (Unicode.Scalar) -> String, where isSpecial: (Unicode.Scalar) -> Bool = steers
  ) -> String {
    guard text.unicodeScalars.contains(where: isSpecial) else { return text }
    var escaped = ""
    for scalar in text.unicodeScalars {
      if isSpecial(scalar) { escaped += notation(scalar) } else { escaped.unicodeScalars.append(scalar) }
    }
    return escaped
  }

  /// Returns whether a character is C0, DEL, C1, a line or paragraph end, or a bidirectional control. All are in the
  /// basic plane.
  public static func steers(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00..<0x20, 0x7F..<0xA0, 0x2028...0x2029: true
    case ..<0x600: false
    default: scalar.properties.isBidiControl
    }
  }
}
