/// How a finished photograph stands beside the rules for identity documents, rule by rule.
///
/// It says nothing of what it does not measure: expression, gaze, glasses, light, background, and how the head is turned or nods.
public struct PhotoCheck: Hashable, Sendable {
  /// A rule: what is measured, and between which limits it lies.
  public struct Rule: Hashable, Sendable {
    /// A word that stays the same over versions, such as `head-height`.
    public var name: String
    /// What is measured, in words.
    public var subject: String
    /// What the value is in.
    public var unit: Unit
    /// The least value that passes; nil for none.
    public var least: Double?
    /// The greatest value that passes; nil for none.
    public var most: Double?
    /// The standard that has the limits.
    public var source: String

    /// Whether a value lies between the limits.
    public func passes(_ value: Double) -> Bool { value >= least ?? -.infinity && value <= most ?? .infinity }
  }

  /// What a value is in.
  public enum Unit: String, Hashable, Sendable {
    /// A number of things.
    case count
    /// A fraction of another length, 0…1.
    case part
    /// Width to height.
    case ratio
    /// Degrees, clockwise.
    case degrees
    /// Pixels of the picture.
    case pixels
    /// From 0 to 1.
    case score
  }

  /// What was measured by a rule.
  public struct Finding: Hashable, Sendable {
    /// The rule.
    public var rule: Rule
    /// What the picture has; nil where that cannot be measured, such as the height of a head that was not found.
    public var value: Double?

    /// Whether the value is known and lies between the limits.
    public var passes: Bool { value.map(rule.passes) ?? false }
  }

  /// One for each rule of the standard, always in the same order.
  public var findings: [Finding]
  /// What was wrong with the picture and did not keep it from being searched.
  public var warnings: [CropWarning]

  /// Whether all rules are kept.
  public var passes: Bool { findings.allSatisfy(\.passes) }
}
