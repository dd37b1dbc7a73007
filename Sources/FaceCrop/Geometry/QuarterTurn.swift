/// A clockwise rotation by quarter turns. The raw value is the angle in degrees.
public enum QuarterTurn: Int, Hashable, Sendable, Codable, CaseIterable {
  /// No rotation.
  case none = 0
  /// A rotation by 90 degrees clockwise.
  case clockwise = 90
  /// A rotation by 180 degrees.
  case half = 180
  /// A rotation by 90 degrees counterclockwise.
  case counterclockwise = 270

  /// The same rotation as an orientation.
  public var orientation: Orientation {
    switch self {
    case .none: .up
    case .clockwise: .right
    case .half: .down
    case .counterclockwise: .left
    }
  }

  /// The rotation back.
  var inverse: QuarterTurn {
    switch self {
    case .none, .half: self
    case .clockwise: .counterclockwise
    case .counterclockwise: .clockwise
    }
  }
}

extension Orientation {
  /// Returns the orientation that displays the image like this one, and then rotates it.
  public func rotated(by turn: QuarterTurn) -> Orientation { followed(by: turn.orientation) }
}
