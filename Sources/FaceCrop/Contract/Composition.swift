/// The rules that compose a crop region around faces.
public struct Composition: Hashable, Sendable {
  /// The placement of the head. Nil uses only the face box, `padding`, and `aspect`. Default nil.
  public var framing: Framing?
  /// The margin around the selected face box, in fractions of that box. It widens the margin of a framing. Default
  /// none.
  public var padding: Padding
  /// Whether a region without a framing contains the whole heads, with hair and hats. ``padding`` still counts in face
  /// boxes. Default false.
  public var holdsHeads: Bool
  /// The aspect ratio of the region. Nil keeps the shape that the framing, or faces and padding, give. Default nil.
  public var aspect: AspectRatio?
  /// The treatment of a framing that reaches over the image's edge. Default `shift`.
  public var edge: EdgePolicy
  /// Whether the region is the largest one in the image that has the aspect. Default false.
  ///
  /// It is centered, as far as the edges allow, on the heads whose faces fit into it together and have the largest
  /// area. Without an aspect the region is the whole image. `framing`, `padding`, and `edge` are ignored.
  public var fillsImage: Bool
  /// Whether outputs are rotated so that the eyes are level. It applies to regions for one face with eye landmarks.
  /// Default false.
  public var alignsEyes: Bool
  /// The template to align faces to, with one face for each output. Default nil.
  ///
  /// Outputs have the template's size and its ``FaceTemplate/border``. So the request must have no
  /// ``CropOutput/sizes``, and ``CropOutput/fill`` and all other rules are ignored. An image without a face has no
  /// crop.
  public var template: FaceTemplate?

  /// Creates rules; the defaults give the bounding box of the faces without a margin.
  public init(
    framing: Framing? = nil, padding: Padding = Padding(), aspect: AspectRatio? = nil, edge: EdgePolicy = .shift,
    fillsImage: Bool = false, alignsEyes: Bool = false, holdsHeads: Bool = false,
    template: FaceTemplate? = nil
  ) {
    self.framing = framing
    self.padding = padding
    self.holdsHeads = holdsHeads
    self.aspect = aspect
    self.edge = edge
    self.fillsImage = fillsImage
    self.alignsEyes = alignsEyes
    self.template = template
  }
}

/// The treatment of a framing that reaches over the image's edge.
public enum EdgePolicy: Hashable, Sendable {
  /// Moves the frame into the image. Shrinks it if the image is smaller.
  case shift
  /// Keeps the frame, and fills the area outside the image with ``CropOutput/fill``.
  case pad
}

/// A margin for each side: `top` and `bottom` in fractions of the face box's height, `right` and `left` of its width.
public struct Padding: Hashable, Sendable {
  /// The margin above the box, in fractions of its height.
  public var top: Double
  /// The margin to the right of the box, in fractions of its width.
  public var right: Double
  /// The margin below the box, in fractions of its height.
  public var bottom: Double
  /// The margin to the left of the box, in fractions of its width.
  public var left: Double

  /// Creates a margin. Planning requires that every side is finite and at least 0.
  public init(top: Double = 0, right: Double = 0, bottom: Double = 0, left: Double = 0) {
    self.top = top
    self.right = right
    self.bottom = bottom
    self.left = left
  }

  /// Creates a margin with the same fraction on every side.
  public init(_ all: Double) {
    self.init(top: all, right: all, bottom: all, left: all)
  }
}

/// The ratio of width to height of a region in pixels, for example 4:5.
public struct AspectRatio: Hashable, Sendable {
  /// The width, in the unit of ``height``; above 0.
  public var width: Double
  /// The height, in the unit of ``width``; above 0.
  public var height: Double

  /// Creates a ratio. Planning requires that both sides are finite and above 0.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// The ratio 1:1.
  public static let square = AspectRatio(width: 1, height: 1)
}
