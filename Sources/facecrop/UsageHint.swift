/// What helps where the parser's own words do not.
enum UsageHint {
  static func hint(message: String, command: String?) -> String? {
    if message.hasPrefix("Missing value for") {
      return "A value that begins with a dash is written with an equals sign, like --size=-5, or ./-name for a file."
    }
    if message.hasPrefix("The value "), let form = forms.first(where: { message.contains("'\($0.option) ") }) {
      return "Write \(form.words)."
    }
    guard message.lowercased().contains("unexpected argument"), command == "crop" || command == "avatar" else {
      return nil
    }
    let preset = command == "avatar" ? " --preset avatar" : ""
    return "facecrop \(command!) takes one picture; for several: facecrop batch\(preset) a.jpg b.jpg -d folder"
  }

  /// What values look like where the parser says no more than that one is wrong.
  private static let forms: [(option: String, words: String)] = [
    ("--aspect", "two numbers with a colon between them: 4:5"), ("--background", "a color as rrggbb: 336699"),
    ("--pad-color", "a color as rrggbb: 336699"),
    ("--padding", "one number, or four for top, right, bottom and left: 0.3"),
    ("--quality", "a number from 1 to 100, or lossless"), ("--dpi", "a whole number: 300"),
    ("--max-bytes", "a whole number above 0, with a unit or without: 30K, 200KiB"),
    ("--memory", "a whole number with a unit: 512M, 2GiB"), ("--max-pixels", "a whole number above 0: 40000000, 40MP"),
    ("--max-file-size", "a whole number above 0: 1000000, 64MiB"), ("--max-side", "a whole number above 0: 20000"),
    ("--shard", "the part, from 0, and how many there are: 0/4 to 3/4"),
    ("--faces", "a word of these, or a number from 1"),
    ("--min-size", "a number of pixels: 300"), ("--width", "a number of pixels: 300"),
    ("--height", "a number of pixels: 400"),
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
