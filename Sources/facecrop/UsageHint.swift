/// The conversion of the parser's messages to the common form: the fault with values, and the remedy in parentheses.
enum UsageHint {
  static func text(_ message: String, command: String?) -> String {
    if let refusal = Refusal(message) { return refusal.text }
    if let own = optionHint(message, command) { return own }
    if let fault = joinedFault(message) { return fault }
    if let question = message.firstRange(of: ". Did you mean ") {
      return "\(message[..<question.lowerBound]) (did you mean \(message[question.upperBound...]))"
    }
    if message.hasPrefix("Missing value for '"),
      let option = message.split(separator: "'").dropFirst().first?.split(separator: " ").first,
      let place = LaunchArguments.texts.firstIndex(of: String(option)),
      let value = LaunchArguments.texts.dropFirst(place + 1).first, Double(value.prefix { $0 != "," }) != nil
    {
      // The parser takes a negative number for an option.
      let form = forms.first { $0.option == option }.map { " (write \($0.words))" } ?? " (write \(option)=\(value))"
      return "\(option) '\(value)' is not valid\(form)"
    }
    if message.hasPrefix("Missing value for") {
      return "\(message) (write a value that begins with a dash as --size=-5, and a file name as ./-name)"
    }
    if message.lowercased().contains("unexpected argument"), command == "crop" || command == "avatar" {
      let preset = command == "avatar" ? " --preset avatar" : ""
      return "\(message) (crop several images with facecrop batch\(preset) a.jpg b.jpg -d folder)"
    }
    return oneLine(message)
  }

  /// Returns a message about one-letter options in one word: `Unknown option '-rd'`, a new line, and `or: Missing value
  /// for '-d <folder>' in '-rd'`. Nil for other messages.
  private static func joinedFault(_ message: String) -> String? {
    guard let other = message.firstRange(of: "or: Missing value for '") else { return nil }
    let word = message.split(separator: "'").dropFirst().first ?? ""
    let option = message[other.upperBound...].prefix { $0 != "'" }
    return "'\(word)' is not an option, or its '\(option)' lacks a value (write each option as a word of its own)"
  }

  /// Returns a message of the parser with its further lines in parentheses.
  private static func oneLine(_ message: String) -> String {
    let lines = message.split(separator: "\n").map { $0.drop { $0 == " " } }
    guard lines.count > 1, let fault = lines.first else { return message }
    let remedy = lines.dropFirst().joined(separator: " ")
    return "\(fault.hasSuffix(".") ? fault.dropLast() : fault) (\(remedy.prefix(1).lowercased())\(remedy.dropFirst()))"
  }

  /// Returns a message about an option that another command has, or that `batch --blur` names differently than `blur`.
  private static func optionHint(_ message: String, _ command: String?) -> String? {
    guard message.hasPrefix("Unknown option '"), let option = message.split(separator: "'").dropFirst().first,
      let command
    else { return nil }
    if let other = elsewhere.first(where: { $0.commands.contains(command) && $0.options.contains(String(option)) }) {
      return "\(command) has no option \(option) (\(other.remedy))"
    }
    let options = BatchHidingOptions.own.map(\.words)
    let own = options.first { $0 == "--blur-\(option.dropFirst(2))" }
    guard command == "batch", LaunchArguments.texts.contains("--blur"), let own else { return nil }
    return "batch has no option \(option) (did you mean \(own)?)"
  }

  private static let folders = ["-r", "--recursive", "-d", "--dir", "--out-dir", "--output-dir"]

  /// Options that users know from other commands, and what to write instead.
  private static let elsewhere: [(commands: [String], options: [String], remedy: String)] = [
    (["batch"], ["-o", "--out", "--output", "--out-dir"], "name the folder of the outputs with -d"),
    (["crop"], folders, "crop several images with facecrop batch -r photos -d folder"),
    (["avatar"], folders, "crop several images with facecrop batch --preset avatar -r photos -d folder"),
    (["blur"], folders, "hide faces in folders with facecrop batch --blur -r photos -d hidden"),
    (["avatar"], ["--lossless"], "use facecrop crop --preset avatar --lossless"),
    (["batch"], ["--except"], BatchHidingOptions.chosenFaces),
  ]

  /// A value that the parser refuses: `The value '4/5' is invalid for '--aspect <w:h>'`, followed by a reason or the
  /// list of values.
  private struct Refusal {
    var value: Substring
    /// The option without the name of its value.
    var option: Substring
    var rest: Substring

    init?(_ message: String) {
      let (beginning, middle) = ("The value '", "' is invalid for '")
      guard message.hasPrefix(beginning), let place = message.ranges(of: middle).last,
        let end = message[place.upperBound...].firstIndex(of: "'")
      else { return nil }
      value = message[..<place.lowerBound].dropFirst(beginning.count)
      option = message[place.upperBound..<end].prefix { $0 != " " }
      rest = message[message.index(after: end)...]
    }

    var text: String {
      let what = "\(option) '\(value)' is not valid"
      if rest.hasPrefix(": ") { return what + rest }
      if let form = UsageHint.forms.first(where: { $0.option == option }) { return "\(what) (write \(form.words))" }
      let values =
        rest.contains("\n")
        ? rest.split(separator: "\n").dropFirst().map { $0.drop { " -".contains($0) } }
        : stride(from: 1, to: rest.split(separator: "'", omittingEmptySubsequences: false).count, by: 2)
          .map { rest.split(separator: "'", omittingEmptySubsequences: false)[$0] }
      return values.isEmpty ? what : "\(what) (write \(values.joined(separator: ", ")))"
    }
  }

  /// Examples of values, for options whose values the parser does not list.
  private static let forms: [(option: String, words: String)] = [
    ("--aspect", "two numbers and a colon: 4:5"), ("--fill", "two numbers and a colon: 16:9"),
    ("--fill-sizes", "shapes with commas: 16:9,1:1"), ("--background", "a color as rrggbb, such as 336699"),
    ("--background-fill", "white, a color such as 336699, blur, blur:5, transparent, or the name of an image file"),
    ("--pad-color", "a color as rrggbb, such as 336699"),
    ("--padding", "one number of 0 or more, such as 0.3, or four for top, right, bottom and left"),
    ("--timeout", "a number of seconds, such as 10 or 0.5"), ("--face-ratio", "a number above 0, at most 1"),
    ("--jobs", "a whole number, such as 4"), ("--copies", "a whole number, such as 4"),
    ("--speed", "a whole number from 0 to 9"), ("--min-face", "a height such as 80 or 5%"),
    ("--quality", "a number from 1 to 100, or lossless"), ("--dpi", "a whole number, such as 300"),
    ("--max-bytes", "a number above 0, such as 30K or 0.5MiB"),
    ("--memory", "a whole number with a unit, such as 512M or 2GiB"),
    ("--max-pixels", "a number above 0, such as 40000000, 40MP or 0.5MP"),
    ("--max-file-size", "a number above 0, such as 1000000 or 64MiB"),
    ("--max-side", "a number above 0, such as 20000 or 20k"),
    ("--shard", "the part, counted from 0, and the number of parts: 0/4 to 3/4"),
    ("--faces", "union, largest, sharpest, central, each, tagged, or a number from 1"),
    ("--min-size", "a number of pixels, such as 300"), ("--width", "a number of pixels, such as 300"),
    ("--height", "a number of pixels, such as 400"),
  ]

  /// Returns the most similar word, up to an edit distance (Levenshtein, "Binary codes capable of correcting deletions,
  /// insertions, and reversals", 1966); nil for none.
  static func nearest(to word: String, of words: [String], within most: Int = 2) -> String? {
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

/// A usage error of several lines. Only ``Console`` ends lines, so that file names cannot.
struct UsageError: Error {
  var message: String
  var details: [String]
}

/// A usage error as JSON.
struct UsageFailure: Encodable {
  var event = "error"
  var kind = "usage"
  var message: String
  var details: [String]?
}
