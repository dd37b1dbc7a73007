import FaceCrop

/// An image's entry in the data of a report's page.
///
/// The command and the server compile this file.
struct ReportEntry: Codable, Sendable {
  struct Output: Codable, Sendable {
    /// The path below the output folder.
    var file: String
    var link: String
    var width: Int
    var height: Int
    /// The index in the crops; nil if unknown.
    var crop: Int?
    /// The start of its SHA-256, by which browsers know a new version; nil if unknown.
    var sha256: String?
    /// True if a file that was changed by hand was kept, and its size is unknown.
    var kept: Bool?
    /// Nil where no rules were looked at.
    var missedRules: [String]?
  }

  struct Reason: Codable, Sendable {
    var kind: String
    var message: String
  }

  var input: String
  var inputBase64: String?
  /// The path of the input relative to the manifest's folder.
  var location: String
  var locationBase64: String?
  /// The size and the SHA-256 of the input, which plans repeat; nil if unknown.
  var bytes: Int?
  var content: String?
  /// The address of the input relative to the page.
  var link: String
  /// The value of an `Outcome.Status`.
  var status: String
  var reason: Reason?
  var detector: String?
  var width: Int?
  var height: Int?
  /// The rotation of the image, which the thumbnail has too; nil for none.
  var rotation: QuarterTurn?
  /// The frame of an animation, from 0; nil for the first one.
  var animationFrame: Int?
  var faces: [Face]?
  var possibleFace: Face?
  var crops: [CropPlan.Crop]?
  /// The crops for each of the faces.
  var choices: [CropPlan.Crop]?
  /// The centered crop for an image without crops.
  var middle: CropPlan.Crop?
  /// Whether a user's plan determined the crops.
  var planned: Bool?
  var outputs: [Output]?
  /// The time of each phase.
  var milliseconds: [Double]?
  var warnings: [String]?
  /// The prefix of its thumbnails' names; nil for none.
  var thumbnail: String?
}
