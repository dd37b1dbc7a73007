/// Escapes a text for a JSON string (RFC 8259, section 7).
func jsonEscaped(_ text: String) -> String {
  var escaped = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"", "\\": escaped += "\\\(scalar)"
    case "\u{0}"..."\u{1F}":
      let digits = String(scalar.value, radix: 16)
      escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: escaped.unicodeScalars.append(scalar)
    }
  }
  return escaped
}
