/// A table in Markdown.
struct Table {
  let heads: [String]
  var rows: [[String]] = []

  init(_ heads: String...) {
    self.heads = heads
  }

  /// The first column to the left, the others, which are numbers, to the right.
  var markdown: String {
    let rule = ["---"] + heads.dropFirst().map { _ in "---:" }
    return ([heads, rule] + rows).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
  }
}

extension Double {
  /// The number, which is not negative, with so many digits behind the point; a dash for what is no number.
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
  /// A dash for none.
  func fixed(_ digits: Int) -> String {
    (self ?? .nan).fixed(digits)
  }
}
