/// A point in fractions of an image as displayed, with the origin at the top left. It may lie outside the image, for
/// example the hidden eye of a face at the edge.
public struct NormalizedPoint: Hashable, Sendable {
  /// The distance from the left side, 0…1 in the image.
  public var x: Double
  /// The distance from the top side, 0…1 in the image.
  public var y: Double

  /// Creates a point in fractions of the image.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  var isFinite: Bool { x.isFinite && y.isFinite }
}

/// The JSON form is an array of two numbers.
extension NormalizedPoint: Codable {
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    x = try container.decode(Double.self)
    y = try container.decode(Double.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(x)
    try container.encode(y)
  }
}
