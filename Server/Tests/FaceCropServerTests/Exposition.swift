import Testing

/// A strict parser of Prometheus's text format.
struct Exposition {
  /// The samples by name and labels as written.
  var samples: [String: Double] = [:]
  var types: [String: String] = [:]
  var help: [String: String] = [:]

  struct Malformed: Error {
    var line: Substring
  }

  init(_ text: String) throws {
    #expect(text.hasSuffix("\n"))
    let name = "[a-zA-Z_:][a-zA-Z0-9_:]*"
    let label = #"[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*""#
    let number = #"[+-]?(?:Inf|NaN|[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)"#
    let sample = try Regex("((\(name))(?:\\{\(label)(?:,\(label))*\\})?) (\(number))")
    for line in text.split(separator: "\n") {
      if line.hasPrefix("# ") {
        let words = line.split(separator: " ", maxSplits: 3)
        guard words.count == 4, try Regex(name).wholeMatch(in: words[2]) != nil else { throw Malformed(line: line) }
        if words[1] == "TYPE" {
          types[String(words[2])] = String(words[3])
        } else {
          help[String(words[2])] = String(words[3])
        }
        continue
      }
      guard let match = try sample.wholeMatch(in: line), let series = match[1].substring,
        let family = match[2].substring,
        let value = match[3].substring.flatMap({ Double($0.replacing("Inf", with: "infinity")) })
      else { throw Malformed(line: line) }
      #expect(samples[String(series)] == nil, "twice: \(series)")
      samples[String(series)] = value
      let base = ["_bucket", "_sum", "_count"].first { family.hasSuffix($0) }.map { String(family.dropLast($0.count)) }
      #expect(types[String(family)] != nil || base.map { types[$0] } == "histogram", "no type: \(series)")
    }
  }
}
