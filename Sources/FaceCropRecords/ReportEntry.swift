public import FaceCrop

/// An image's entry in the data of a report's page.
public struct ReportEntry: Codable, Sendable {
  public struct Output: Codable, Sendable {
    /// The path below the output folder.
    public var file: String
    public var link: String
    public var width: Int
    public var height: Int
    /// The index in the crops; nil if unknown.
    public var crop: Int?
    /// The start of its SHA-256, by which browsers know a new version; nil if unknown.
    public var sha256: String?
    /// True if a file that was changed by hand was kept, and its size is unknown.
    public var kept: Bool?
    /// Nil where no rules were looked at.
    public var missedRules: [String]?
    /// The share of its area that is filled; nil for none.
    public var padded: Double?
    /// The confidence of its cut-out; nil without a new background.
    public var cutout: Double?

    public init(file: String, link: String, width: Int, height: Int) {
      (self.file, self.link, self.width, self.height) = (file, link, width, height)
    }
  }

  public struct Reason: Codable, Sendable {
    public var kind: String
    public var message: String

    public init(kind: String, message: String) { (self.kind, self.message) = (kind, message) }
  }

  public var input: String
  public var inputBase64: String?
  /// The path of the input relative to the manifest's folder.
  public var location: String
  public var locationBase64: String?
  /// The size and the SHA-256 of the input, which plans repeat; nil if unknown.
  public var bytes: Int?
  public var content: String?
  /// The address of the input relative to the page.
  public var link: String
  /// The value of an `Outcome.Status`.
  public var status: String
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
  /// The crops for each of the faces.
  public var choices: [CropPlan.Crop]?
  /// The centered crop for an image without crops.
  public var middle: CropPlan.Crop?
  /// Whether a user's plan determined the crops.
  public var planned: Bool?
  public var outputs: [Output]?
  /// The time of each phase.
  public var milliseconds: [Double]?
  public var warnings: [String]?
  /// The kind of each warning.
  public var warningKinds: [String]?
  /// The cells of the list of names for the image: names of people, and other columns.
  public var people: [String]?
  /// The prefix of its thumbnails' names; nil for none.
  public var thumbnail: String?

  public init(input: String, location: String, link: String, status: String) {
    (self.input, self.location, self.link, self.status) = (input, location, link, status)
  }
}
