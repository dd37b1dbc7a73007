/// A point in fractions of a picture as displayed: origin top-left. It may lie outside the picture, as the covered eye of a
/// face at its edge does.
public struct NormalizedPoint: Hashable, Sendable {
  /// To the right, 0…1.
  public var x: Double
  /// Down, 0…1.
  public var y: Double

  /// In fractions of the picture.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  var isFinite: Bool { x.isFinite && y.isFinite }
}

/// In JSON an array of two numbers.
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
