/// What helps where the parser's own words do not.
enum UsageHint {
  static func hint(message: String, command: String?) -> String? {
    if message.hasPrefix("Missing value for") {
      return "A value that begins with a dash is written with an equals sign, like --size=-5, or ./-name for a file."
    }
    guard message.lowercased().contains("unexpected argument"), command == "crop" || command == "avatar" else {
      return nil
    }
    let preset = command == "avatar" ? " --preset avatar" : ""
    return "facecrop \(command!) takes one picture; for several: facecrop batch\(preset) a.jpg b.jpg -d folder"
  }

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
