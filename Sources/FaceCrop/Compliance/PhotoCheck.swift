/// The result of checking a finished photo against the rules for identity documents.
///
/// It finds heads that clearly turn sideways, and mouths that show teeth. It does not cover eyes, gaze, glasses, light on
/// the face, or heads that turn up or down.
public struct PhotoCheck: Hashable, Sendable {
  /// A rule: a measure and its limits.
  public struct Rule: Hashable, Sendable {
    /// An identifier that is stable across versions, such as `head-height`.
    public var name: String
    /// A description of the measure.
    public var subject: String
    /// The unit of the value.
    public var unit: Unit
    /// The smallest value that passes; nil for no limit.
    public var least: Double?
    /// The largest value that passes; nil for no limit.
    public var most: Double?
    /// The standard that sets the limits.
    public var source: String
    /// Whether an unknown value breaks no rule, because the measure needs more than any photo shows: the background of a
    /// photo with hardly any, or the mouth of a face from the side. The rule is then skipped.
    public var mayBeUnknown = false

    /// Returns whether a value lies within the limits.
    public func passes(_ value: Double) -> Bool { value >= least ?? -.infinity && value <= most ?? .infinity }
  }

  /// The unit of a value.
  public enum Unit: String, Hashable, Sendable {
    /// A count.
    case count
    /// A fraction of another length, 0…1.
    case part
    /// The ratio of width to height.
    case ratio
    /// Degrees, clockwise.
    case degrees
    /// Pixels of the image.
    case pixels
    /// A score, 0…1.
    case score
    /// Bytes of the file.
    case bytes
  }

  /// The result of one rule.
  public struct Finding: Hashable, Sendable {
    /// The rule.
    public var rule: Rule
    /// The measured value; nil if unknown, such as the height of a head that was not found.
    public var value: Double?

    /// Whether the value was measured, and is within the limits.
    public var passes: Bool { value.map(rule.passes) ?? false }
    /// Whether the rule could not be measured, and so is neither kept nor broken.
    public var isSkipped: Bool { value == nil && rule.mayBeUnknown }
    /// Whether the rule is broken: the value is outside the limits, or unknown although a good photo shows it.
    public var isBroken: Bool { !passes && !isSkipped }
  }

  /// The results, one for each rule, always in the same order.
  public var findings: [Finding]
  /// The problems with the image that did not prevent the check.
  public var warnings: [CropWarning]

  /// Whether all rules were measured and are kept. A photo with a skipped rule does not pass.
  public var passes: Bool { findings.allSatisfy(\.passes) }
  /// Whether a measured rule is broken. A photo that neither passes nor breaks a rule needs a look at its skipped rules
  /// (``Finding/isSkipped``).
  public var breaksRules: Bool { findings.contains(where: \.isBroken) }
}
