/// Hints at misspelled words.
public enum NearestWord {
  /// Returns the most similar word, up to an edit distance (Levenshtein, "Binary codes capable of correcting deletions,
  /// insertions, and reversals", 1966); nil for none.
  public static func to(_ word: String, of words: [String], within most: Int = 2) -> String? {
    let near = words.map { (word: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
    return near.flatMap { $0.distance <= most ? $0.word : nil }
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
