public import FaceCrop

/// An image's entry in the data of a report's page, as far as the review of a server reads it. The command writes it, and
/// the page itself reads more of it.
public struct ReportEntry: Decodable, Sendable {
  public struct Output: Decodable, Sendable {
    /// The path below the output folder.
    public var file: String
    /// True if a file that was changed by hand was kept.
    public var kept: Bool?
  }

  public struct Reason: Decodable, Sendable {
    public var message: String
  }

  public var input: String
  public var inputBase64: String?
  /// The path of the input relative to the manifest's folder.
  public var location: String
  public var locationBase64: String?
  /// The size and the SHA-256 of the input, which plans repeat; nil if unknown.
  public var bytes: Int?
  public var content: String?
  public var reason: Reason?
  public var detector: String?
  public var width: Int?
  public var height: Int?
  /// The rotation of the image, which the thumbnail has too; nil for none.
  public var rotation: QuarterTurn?
  /// The frame of an animation, from 0; nil for the first one.
  public var animationFrame: Int?
  public var faces: [Face]?
  /// False if the search for faces was cut short, else nil.
  public var facesAreComplete: Bool?
  public var possibleFace: Face?
  public var crops: [CropPlan.Crop]?
  /// The centered crop for an image without crops.
  public var middle: CropPlan.Crop?
  /// Whether a user's plan determined the crops.
  public var planned: Bool?
  public var outputs: [Output]?
  /// The prefix of its thumbnails' names; nil for none.
  public var thumbnail: String?
}
