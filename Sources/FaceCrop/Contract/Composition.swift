/// How a region is composed around faces.
public struct Composition: Hashable, Sendable {
  /// How the head is placed; nil takes no more than face box, padding and aspect ask for. Default nil.
  public var framing: Framing?
  /// Margin around the selected face box, in fractions of that box; a framing's margin grows by it. Default none.
  public var padding: Padding
  /// Whether the region holds the whole heads, with their hair and hats, where it is not placed by a framing. ``padding`` still counts in
  /// face boxes. Default false.
  public var holdsHeads: Bool
  /// Shape of the region; nil leaves it as the framing, or faces and padding, make it. Default nil.
  public var aspect: AspectRatio?
  /// What happens to a framing that reaches over the picture's edge. Default `shift`.
  public var edge: EdgePolicy
  /// Whether the region is as much of the picture as has the aspect, with the heads as near to its middle as the picture's edges let
  /// them be: those whose faces fit into it together and have the largest area. Without an aspect it is all of the picture. Framing,
  /// padding and edge policy say nothing then. Default false.
  public var fillsPicture: Bool
  /// Whether the output is turned so that the eyes are level, where the region is for one face whose eyes the detector has found.
  /// Default false.
  public var levelsEyes: Bool

  /// By default the faces' boxes and nothing around them.
  public init(
    framing: Framing? = nil, padding: Padding = Padding(), aspect: AspectRatio? = nil, edge: EdgePolicy = .shift,
    fillsPicture: Bool = false, levelsEyes: Bool = false, holdsHeads: Bool = false
  ) {
    self.framing = framing
    self.padding = padding
    self.holdsHeads = holdsHeads
    self.aspect = aspect
    self.edge = edge
    self.fillsPicture = fillsPicture
    self.levelsEyes = levelsEyes
  }
}

/// What happens to a framing that reaches over the picture's edge.
public enum EdgePolicy: Hashable, Sendable {
  /// It is moved into the picture, and made smaller where the picture is.
  case shift
  /// It stays as it is, and what lies outside the picture is filled: ``CropOutput/fill``.
  case pad
}

/// Margin per side in fractions of the face box: `top` and `bottom` of its height, `right` and `left` of its width.
public struct Padding: Hashable, Sendable {
  /// The margin above the box, in fractions of its height.
  public var top: Double
  /// The margin to the right of the box, in fractions of its width.
  public var right: Double
  /// The margin below the box, in fractions of its height.
  public var bottom: Double
  /// The margin to the left of the box, in fractions of its width.
  public var left: Double

  /// - Precondition for planning: every side is finite and at least 0.
  public init(top: Double = 0, right: Double = 0, bottom: Double = 0, left: Double = 0) {
    self.top = top
    self.right = right
    self.bottom = bottom
    self.left = left
  }

  /// The same on every side.
  public init(_ all: Double) {
    self.init(top: all, right: all, bottom: all, left: all)
  }
}

/// Width to height of a region in pixels, for example 4:5.
public struct AspectRatio: Hashable, Sendable {
  /// The width in any unit, as long as it is the height's; above 0.
  public var width: Double
  /// The height in the unit of ``width``; above 0.
  public var height: Double

  /// - Precondition for planning: both are finite and above 0.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// 1:1.
  public static let square = AspectRatio(width: 1, height: 1)
}
