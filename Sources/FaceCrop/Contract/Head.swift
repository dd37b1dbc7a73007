/// The limits of a head, hair and hat included. A face box spans only hairline to chin.
///
/// All positions are fractions of the searched image.
public struct Head: Hashable, Sendable, Codable {
  /// The position of one side, with a confidence.
  public struct Edge: Hashable, Sendable, Codable {
    /// The position in fractions of the image's height, or of its width for ``Head/left`` and ``Head/right``.
    public var position: Double
    /// The share of such positions with an error of up to a tenth of the face box's height, 0…1. It was measured on 124
    /// heads of an internal set.
    public var confidence: Double

    /// Creates an edge.
    public init(position: Double, confidence: Double) {
      self.position = position
      self.confidence = confidence
    }

    /// The names of plans and reports.
    private enum CodingKeys: String, CodingKey {
      case position = "place"
      case confidence
    }
  }

  /// The top of hair and hat.
  public var crown: Edge
  /// The top of the head without a hat or the volume of hair. ISO/IEC 19794-5 measures a head's height from it. At or
  /// below ``crown``.
  public var skull: Edge
  /// The chin.
  public var chin: Edge
  /// The left side of head and hair in the image.
  public var left: Edge
  /// The right side of head and hair in the image.
  public var right: Edge
  /// A polygon around head and hair, in fractions of the image, of up to ``mostPoints`` points. Nil without a mask.
  public var outline: [NormalizedPoint]?

  /// Creates a head; without an outline by default.
  public init(
    crown: Edge, skull: Edge, chin: Edge, left: Edge, right: Edge, outline: [NormalizedPoint]? = nil
  ) {
    self.crown = crown
    self.skull = skull
    self.chin = chin
    self.left = left
    self.right = right
    self.outline = outline
  }

  /// The upper bound of an outline's points.
  public static let mostPoints = 64

  /// Whether all numbers are finite and in order.
  var isValid: Bool {
    let edges = [crown, skull, chin, left, right]
    return edges.allSatisfy { $0.position.isFinite && (0...1).contains($0.confidence) }
      && crown.position <= skull.position && skull.position < chin.position && left.position < right.position
      && outline?.count ?? 0 <= Self.mostPoints && outline?.allSatisfy(\.isFinite) ?? true
  }

  /// The proportions of a head, in heights of its face box. They were fitted to 124 heads measured by eye.
  enum Proportions {
    /// Returns the typical distance from the box's top up to the crown, by that down to the eyes. A person who looks
    /// down has eyes low in the box, and more hair above it.
    static func crown(eyes: Double) -> Double { min(max(eyes - 0.12, 0), 0.6) }
    /// The median distance from the box's center to either side.
    static let halfWidth = 0.6
    /// The median distance from chin to skull.
    static let height = 1.23

    /// Returns the distance from chin to skull for a crown this far above the box's top. Much hair, or a hat, belongs
    /// to a taller head. The line was fitted to 115 heads measured by eye.
    static func height(crown: Double) -> Double { 1.07 + 0.54 * min(max(crown, -0.1), 0.6) }
  }

  /// Creates the typical head for a face with this box and these eyes.
  init(assumedFor face: Face, in picture: PixelSize) {
    let box = face.box
    let width = Proportions.halfWidth * box.height * Double(picture.height) / Double(picture.width)
    let crown = Proportions.crown(eyes: face.eyesInBox)
    self.init(
      crown: Edge(position: box.y - crown * box.height, confidence: 0.6),
      skull: Edge(position: box.maxY - min(Proportions.height, 1 + crown) * box.height, confidence: 0.7),
      chin: Edge(position: box.maxY, confidence: 0.95), left: Edge(position: box.midX - width, confidence: 0.3),
      right: Edge(position: box.midX + width, confidence: 0.3))
  }
}

extension Face {
  /// The distance from the box's top to the eyes, in heights of the box, 0…1. Without landmarks it is a typical value.
  var eyesInBox: Double {
    guard let landmarks, box.height > 0 else { return Self.commonEyes }
    let eyes = ((landmarks.rightEye.y / 2 + landmarks.leftEye.y / 2) - box.y) / box.height
    return min(max(eyes, 0), 1)
  }
  private static let commonEyes = 0.39
}
