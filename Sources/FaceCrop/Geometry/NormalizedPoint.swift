/// A point in fractions of a picture as displayed: origin top-left. It may lie outside the picture, as the covered eye of a
/// face at its edge does.
public struct NormalizedPoint: Hashable, Sendable {
  /// The distance from the left side, 0…1 in the picture.
  public var x: Double
  /// The distance from the top side, 0…1 in the picture.
  public var y: Double

  /// A point in fractions of the picture.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  var isFinite: Bool { x.isFinite && y.isFinite }
}

/// A point is an array of two numbers in JSON.
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
