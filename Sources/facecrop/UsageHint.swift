/// The way out of wrong usage, where the parser does not name it: words for parentheses.
enum UsageHint {
  static func hint(message: String, command: String?) -> String? {
    if message.hasPrefix("Missing value for") {
      return "write a value that begins with a dash as --size=-5, and a file name as ./-name"
    }
    if message.hasPrefix("The value "), let form = forms.first(where: { message.contains("'\($0.option) ") }) {
      return "write \(form.words)"
    }
    guard message.lowercased().contains("unexpected argument"), command == "crop" || command == "avatar" else {
      return nil
    }
    let preset = command == "avatar" ? " --preset avatar" : ""
    return "\(command!) takes one image; crop several with facecrop batch\(preset) a.jpg b.jpg -d folder"
  }

  /// Examples of values for options whose values the parser does not list.
  private static let forms: [(option: String, words: String)] = [
    ("--aspect", "two numbers and a colon: 4:5"), ("--background", "a color as rrggbb, such as 336699"),
    ("--pad-color", "a color as rrggbb, such as 336699"),
    ("--padding", "one number, such as 0.3, or four for top, right, bottom and left"),
    ("--quality", "a number from 1 to 100, or lossless"), ("--dpi", "a whole number, such as 300"),
    ("--max-bytes", "a whole number above 0, such as 30K or 200KiB"),
    ("--memory", "a whole number with a unit, such as 512M or 2GiB"),
    ("--max-pixels", "a whole number above 0, such as 40000000 or 40MP"),
    ("--max-file-size", "a whole number above 0, such as 1000000 or 64MiB"),
    ("--max-side", "a whole number above 0, such as 20000"),
    ("--shard", "the part, counted from 0, and the number of parts: 0/4 to 3/4"),
    ("--faces", "one of these words, or a number from 1"),
    ("--min-size", "a number of pixels, such as 300"), ("--width", "a number of pixels, such as 300"),
    ("--height", "a number of pixels, such as 400"),
  ]

  /// The word that is at most two letters from another (Levenshtein, "Binary codes capable of correcting deletions, insertions, and
  /// reversals", 1966); nil for none.
  static func nearest(to word: String, of words: [String]) -> String? {
    let near = words.map { (word: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
    return near.flatMap { $0.distance <= 2 ? $0.word : nil }
  }

  private static func distance(_ a: String, _ b: String) -> Int {
    let b = Array(b)
    var row = Array(0...b.count)
    for (i, letter) in a.enumerated() {
      var corner = row[0]
      row[0] = i + 1
      for j in b.indices {
        let here = min(row[j + 1] + 1, row[j] + 1, corner + (letter == b[j] ? 0 : 1))
        corner = row[j + 1]
        row[j + 1] = here
      }
    }
    return row[b.count]
  }
}
