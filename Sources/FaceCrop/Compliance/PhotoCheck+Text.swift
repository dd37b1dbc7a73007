// The values of rules as text, for tables and warnings.

extension PhotoCheck.Finding {
  /// The value with its unit; a dash for an unknown one. A broken rule's value has as many decimals as show that it is
  /// outside the limits.
  package var shownValue: String { shown(value) }

  /// The limits with their unit; empty without any.
  package var shownLimits: String {
    switch (rule.least, rule.most) {
    case (let least?, let most?) where least == most: shown(least)
    case (let least?, let most?): "\(shown(least)) to \(shown(most))"
    case (let least?, nil): "at least \(shown(least))"
    case (nil, let most?): "at most \(shown(most))"
    case (nil, nil): ""
    }
  }

  /// Returns a clause in English about an output that breaks the rule; nil for a rule that is kept or was not measured.
  public func miss(of standard: PhotoStandard) -> String? {
    guard isBroken else { return nil }
    return "the output misses the \(standard.rawValue) rule '\(rule.name)': \(shownValue), not \(shownLimits)"
  }

  /// Returns the value rounded to a fraction of `1 / steps`, or finer if rounding would move it across a limit.
  package func rounded(to steps: Double) -> Double? {
    guard let value else { return nil }
    // The sum has no negative zero.
    func nearest(_ finer: Double) -> Double { (value * steps * finer).rounded() / (steps * finer) + 0 }
    return nearest(Self.finer { rule.passes(nearest($0)) != passes })
  }

  /// Returns a value or a limit as text. The value of a kept rule never looks like one outside the limits, which are
  /// rounded alike.
  private func shown(_ number: Double?) -> String {
    guard let number else { return "-" }
    let unit = rule.unit
    guard let value, let limit = rule.limit(brokenBy: value) else { return unit.shown(number) }
    let finer = Self.finer { unit.shown(value, finer: $0) == unit.shown(limit, finer: $0) }
    return unit.shown(number, finer: finer)
  }

  /// Returns the least power of ten at which rounding is fine enough. It has an upper bound, for values that differ
  /// only by the error of floating point.
  private static func finer(while isTooCoarse: (Double) -> Bool) -> Double {
    var finer = 1.0
    while finer < 1e6, isTooCoarse(finer) { finer *= 10 }
    return finer
  }
}

extension PhotoCheck.Rule {
  /// Returns the limit that a value is beyond; nil for none.
  fileprivate func limit(brokenBy value: Double) -> Double? {
    if let least, value < least { return least }
    if let most, value > most { return most }
    return nil
  }
}

extension PhotoCheck.Unit {
  /// Returns a value with the unit, rounded `finer` times as finely as usual.
  fileprivate func shown(_ value: Double, finer: Double = 1) -> String {
    func rounded(_ value: Double, _ steps: Double) -> String {
      let steps = steps * finer
      // The sum has no negative zero.
      let text = "\((value * steps).rounded() / steps + 0)"
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
