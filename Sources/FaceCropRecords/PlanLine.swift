public import FaceCrop

/// A line of a plans file: an image, and its plan.
public struct PlanLine: Codable, Sendable {
  public var input: String
  public var inputBase64: String?
  /// The path of the input relative to the folder of the manifest from the same run.
  public var location: String?
  public var locationBase64: String?
  /// The size of the input and the identifier of its content; nil if unknown.
  public var bytes: Int?
  public var content: String?
  /// The identifier of the plan as facecrop wrote it, so that an edited one is known; nil in lists of other programs and
  /// of older versions.
  public var digest: String?
  /// True if facecrop wrote a person's plan, else nil.
  public var corrected: Bool?
  public var plan: CropPlan

  public init(input: String, inputBase64: String?, plan: CropPlan) {
    (self.input, self.inputBase64, self.plan) = (input, inputBase64, plan)
  }
}
