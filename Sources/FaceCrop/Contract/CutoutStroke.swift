/// A stroke of a brush that corrects the cut-out of a crop with a new background.
///
/// The pixels under the stroke belong to the person, or to the background. Pixels beside it follow, up to the edges in
/// the image. Of strokes that cross, the last one counts. The JSON form is an object such as
/// `{"kind":"keep","width":0.03,"points":[[0.4,0.2],[0.45,0.3]]}`.
public struct CutoutStroke: Hashable, Sendable, Codable {
  /// The side to which pixels belong.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// The person.
    case keep
    /// The background.
    case remove
  }

  /// The upper bound of the points of all strokes of a crop.
  public static let mostPoints = 1_000
  /// The allowed widths, in fractions of the image's longer side.
  public static let widths = 0.0005...0.25
  /// The allowed coordinates of points. A frame can reach out of the image.
  static let coordinates = -1.0...2.0

  /// The side to which the pixels under the stroke belong.
  public var kind: Kind
  /// The width of the brush in fractions of the image's longer side, within ``widths``.
  public var width: Double
  /// The middle line of the stroke, in fractions of the image as in all of a plan: −1…2. One point makes a dot.
  public var points: [NormalizedPoint]

  /// Creates a stroke.
  public init(_ kind: Kind, width: Double, points: [NormalizedPoint]) {
    (self.kind, self.width, self.points) = (kind, width, points)
  }

  /// Returns what makes the strokes of a crop unusable, with the bound, as the rest of a clause; nil for nothing.
  static func problem(of strokes: [CutoutStroke]) -> String? {
    let count = strokes.reduce(0) { $0 + $1.points.count }
    guard count <= mostPoints else { return ".strokes have \(count) points (at most \(mostPoints); draw less)" }
    for (index, stroke) in strokes.enumerated() {
      let name = ".strokes[\(index)]"
      guard widths.contains(stroke.width) else {
        return "\(name).width is out of range (must be 0.0005 to 0.25 of the image's longer side)"
      }
      guard !stroke.points.isEmpty else { return "\(name).points is empty (add a point, or remove the stroke)" }
      guard stroke.points.allSatisfy({ coordinates.contains($0.x) && coordinates.contains($0.y) }) else {
        return "\(name).points is too far from the image (x and y must be -1 to 2)"
      }
    }
    return nil
  }
}
