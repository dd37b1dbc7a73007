/// The result of checking a finished photo against the rules for identity documents.
///
/// It does not cover expression, gaze, glasses, light on the face, or heads turned sideways, up, or down.
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
    /// Whether an unknown value passes, because the measure needs more than any photo shows: the background of a photo
    /// with hardly any.
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

    /// Whether the value is within the limits. An unknown value passes only if the rule allows it.
    public var passes: Bool { value.map(rule.passes) ?? rule.mayBeUnknown }
    /// Whether the rule was not checked.
    public var isSkipped: Bool { value == nil && rule.mayBeUnknown }
  }

  /// The results, one for each rule, always in the same order.
  public var findings: [Finding]
  /// The problems with the image that did not prevent the check.
  public var warnings: [CropWarning]

  /// Whether all rules pass.
  public var passes: Bool { findings.allSatisfy(\.passes) }
}
