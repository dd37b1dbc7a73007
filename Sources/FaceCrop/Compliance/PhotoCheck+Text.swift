// The values of rules as text, for tables and warnings.

extension PhotoCheck.Rule {
  /// Returns a value with its unit; a dash for an unknown one.
  package func shown(_ value: Double?) -> String { value.map { unit.shown($0) } ?? "-" }

  /// The limits with their unit; empty without any.
  package var limits: String {
    switch (least, most) {
    case (let least?, let most?) where least == most: shown(least)
    case (let least?, let most?): "\(shown(least)) to \(shown(most))"
    case (let least?, nil): "at least \(shown(least))"
    case (nil, let most?): "at most \(shown(most))"
    case (nil, nil): ""
    }
  }
}

extension PhotoCheck.Finding {
  /// Returns a clause in English about an output that breaks the rule; nil for a rule that is kept, or was not measured.
  public func miss(of standard: PhotoStandard) -> String? {
    guard isBroken else { return nil }
    return
      "the output misses the \(standard.rawValue) rule '\(rule.name)': \(rule.shown(value)), not \(rule.limits)"
  }
}

extension PhotoCheck.Unit {
  fileprivate func shown(_ value: Double) -> String {
    func rounded(_ value: Double, _ digits: Double) -> String {
      // The sum has no negative zero.
      let text = "\((value * digits).rounded() / digits + 0)"
      return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
    return switch self {
    case .count: rounded(value, 1)
    case .part: "\(rounded(value * 100, 10)) %"
    case .ratio, .score: rounded(value, 1_000)
    case .degrees: "\(rounded(value, 10)) deg"
    case .pixels: "\(rounded(value, 1)) px"
    case .bytes: "\(rounded(value / 1_000, 1)) kB"
    }
  }
}
