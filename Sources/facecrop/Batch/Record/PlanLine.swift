import FaceCrop

/// A line of a plans file: an image, and its plan.
///
/// The command and the server compile this file.
struct PlanLine: Codable, Sendable {
  var input: String
  var inputBase64: String?
  /// The path of the input relative to the folder of the manifest from the same run.
  var location: String?
  var locationBase64: String?
  /// The size of the input and the identifier of its content; nil if unknown.
  var bytes: Int?
  var content: String?
  /// The identifier of the plan as facecrop wrote it, so that an edited one is known; nil in lists of other programs and
  /// of older versions.
  var digest: String?
  /// True if facecrop wrote a person's plan, else nil.
  var corrected: Bool?
  var plan: CropPlan
}
