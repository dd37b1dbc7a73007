/// Where a head ends, hair and hat included. A face box runs from hairline to chin, and hair is above and beside it.
///
/// All places are fractions of the picture that was searched.
public struct Head: Hashable, Sendable, Codable {
  /// A place, and how sure it is.
  public struct Edge: Hashable, Sendable, Codable {
    /// In fractions of the picture's height, or of its width for ``Head/left`` and ``Head/right``.
    public var place: Double
    /// The part of such places that are right to a tenth of the face box's height, as counted on an internal set of 124 heads; 0…1.
    public var confidence: Double

    /// - Parameters:
    ///   - place: In fractions of the picture.
    ///   - confidence: 0…1.
    public init(place: Double, confidence: Double) {
      self.place = place
      self.confidence = confidence
    }
  }

  /// The top of hair and hat.
  public var crown: Edge
  /// The top of the head without the volume of hair, and without a hat: what ISO/IEC 19794-5 measures a head's height from. At or
  /// below ``crown``.
  public var skull: Edge
  /// The chin.
  public var chin: Edge
  /// The left side of head and hair in the picture.
  public var left: Edge
  /// The right side of head and hair in the picture.
  public var right: Edge
  /// A polygon around head and hair, in fractions of the picture; nil where no mask of the head was made. At most ``mostPoints`` points.
  public var outline: [NormalizedPoint]?

  /// A head by its places.
  ///
  /// - Parameters:
  ///   - crown: The top of hair and hat.
  ///   - skull: The top of the head without them.
  ///   - chin: The chin.
  ///   - left: The left side in the picture.
  ///   - right: The right side in the picture.
  ///   - outline: A polygon around it; nil for none.
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

  /// Points of an outline at most.
  public static let mostPoints = 64

  /// Whether all numbers are finite and in order.
  var isValid: Bool {
    let edges = [crown, skull, chin, left, right]
    return edges.allSatisfy { $0.place.isFinite && (0...1).contains($0.confidence) }
      && crown.place <= skull.place && skull.place < chin.place && left.place < right.place
      && outline?.count ?? 0 <= Self.mostPoints && outline?.allSatisfy(\.isFinite) ?? true
  }
}

extension Head {
  /// What a head's measures are in heights of its face box, and how they follow from one another. Fitted to 124 heads that were read
  /// by eye.
  enum Proportions {
    /// From the box's top to the crown as most heads have it: who looks down has the eyes low in the box, and more hair above it.
    ///
    /// - Parameter eyes: How far below the box's top the eyes are.
    static func crown(eyes: Double) -> Double { min(max(eyes - 0.12, 0), 0.6) }
    /// From the middle of the box to either side as half of the heads have it.
    static let halfWidth = 0.6
    /// From chin to skull as half of the heads have it.
    static let height = 1.23

    /// From chin to skull, for a crown so far above the box's top. Much hair, or a hat, belongs to a taller head. A line fitted to 115 heads
    /// that were read by eye.
    static func height(crown: Double) -> Double { 1.07 + 0.54 * min(max(crown, -0.1), 0.6) }
  }

  /// The head that most faces with that box and those eyes have.
  init(assumedFor face: Face, in picture: PixelSize) {
    let box = face.box
    let width = Proportions.halfWidth * box.height * Double(picture.height) / Double(picture.width)
    let crown = Proportions.crown(eyes: face.eyesInBox)
    self.init(
      crown: Edge(place: box.y - crown * box.height, confidence: 0.6),
      skull: Edge(place: box.maxY - min(Proportions.height, 1 + crown) * box.height, confidence: 0.7),
      chin: Edge(place: box.maxY, confidence: 0.95), left: Edge(place: box.midX - width, confidence: 0.3),
      right: Edge(place: box.midX + width, confidence: 0.3))
  }
}

extension Face {
  /// How far below the box's top the eyes are, in heights of the box, 0…1: where the landmarks have them, else where most have them.
  var eyesInBox: Double {
    guard let landmarks, box.height > 0 else { return Self.commonEyes }
    let eyes = ((landmarks.rightEye.y / 2 + landmarks.leftEye.y / 2) - box.y) / box.height
    return min(max(eyes, 0), 1)
  }
  private static let commonEyes = 0.39
}
