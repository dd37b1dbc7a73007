/// A table in Markdown.
struct Table {
  let heads: [String]
  var rows: [[String]] = []

  init(_ heads: String...) {
    self.heads = heads
  }

  /// The table with its first column aligned to the left, and the numbers to the right.
  var markdown: String {
    let rule = ["---"] + heads.dropFirst().map { _ in "---:" }
    return ([heads, rule] + rows).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
  }
}

extension Double {
  /// Formats the number, which must not be negative, with `digits` decimals, or as a dash if it is not finite.
  func fixed(_ digits: Int) -> String {
    guard isFinite else { return "–" }
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((self * Double(scale)).rounded())
    guard digits > 0 else { return "\(scaled)" }
    let fraction = "\(scaled % scale)"
    return "\(scaled / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
  }
}

extension Double? {
  /// Formats nil as a dash.
  func fixed(_ digits: Int) -> String {
    (self ?? .nan).fixed(digits)
  }
}
