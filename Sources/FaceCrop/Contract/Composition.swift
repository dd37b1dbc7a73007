/// The rules that compose a crop region around faces.
public struct Composition: Hashable, Sendable {
  /// The place of the region. Default ``Layout/faces(padding:aspect:)`` without a margin.
  public var layout: Layout
  /// Whether outputs are rotated so that the eyes are level. It applies to regions for one face with eye landmarks, and
  /// not to the layouts `fill` and `template`. Default false.
  public var alignsEyes: Bool

  /// Creates rules; the defaults give the bounding box of the faces without a margin.
  public init(_ layout: Layout = .faces(), alignsEyes: Bool = false) {
    self.layout = layout
    self.alignsEyes = alignsEyes
  }

  /// The place of a crop region.
  public enum Layout: Hashable, Sendable {
    /// The bounding box of the face boxes, with a margin, and extended to an aspect.
    case faces(padding: Padding = Padding(), aspect: AspectRatio? = nil)
    /// The bounding box of the whole heads, with hair and hats, with a margin, and extended to an aspect.
    case heads(padding: Padding = Padding(), aspect: AspectRatio? = nil)
    /// The bounding box of the people from head to feet, by the usual height of a standing person, with a margin, and
    /// extended to an aspect. Without one, it has the image's shape.
    case bodies(padding: Padding = Padding(), aspect: AspectRatio? = nil)
    /// A frame that places the heads. The margin widens it.
    case framing(Framing, padding: Padding = Padding(), edge: EdgePolicy = .shift)
    /// The largest region in the image with an aspect; without one, the whole image.
    ///
    /// It is centered, as far as the edges allow, on the heads whose faces fit into it together and have the largest
    /// area.
    case fill(AspectRatio? = nil)
    /// A template to align faces to, with one face for each output.
    ///
    /// Select one face, or ``FaceSelection/each``: the default, ``FaceSelection/union``, throws
    /// ``FaceCropError/invalidRequest(_:)`` for an image with several faces.
    ///
    /// Outputs have the template's size and its ``FaceTemplate/border``. So ``CropOutput/sizes`` can only be
    /// ``OutputSize/fit(_:)`` and ``OutputSize/cover(_:)``, and ``CropOutput/fill`` is ignored. An image without a face
    /// has no crop.
    case template(FaceTemplate)
  }
}

extension Composition.Layout {
  /// The placement of the heads; nil in other layouts.
  public var framing: Framing? {
    if case .framing(let framing, _, _) = self { framing } else { nil }
  }

  /// Whether regions hold the whole people, or their heads at least, without a framing.
  package var holdsBodies: Bool { if case .bodies = self { true } else { false } }
  package var holdsHeads: Bool { if case .heads = self { true } else { holdsBodies } }

  /// The template; nil in other layouts.
  public var template: FaceTemplate? {
    if case .template(let template) = self { template } else { nil }
  }

  /// The aspect ratio of regions. Nil if the faces and the padding give the shape, and for a template.
  ///
  /// Set it as a property of ``Composition/layout``. A new value changes the aspect of `faces`, `heads`, `bodies`, `fill`, and, unless it is nil, of `framing`.
  public var aspect: AspectRatio? {
    get {
      switch self {
      case .faces(_, let aspect), .heads(_, let aspect), .bodies(_, let aspect), .fill(let aspect): aspect
      case .framing(let framing, _, _): framing.aspect
      case .template: nil
      }
    }
    set { change(newValue, padding, edge) }
  }

  /// The margin around the selected face box, in fractions of that box. Default none.
  ///
  /// Set it as a property of ``Composition/layout``. A new value changes the margin of `faces`, `heads`, `bodies`, and `framing`.
  public var padding: Padding {
    get {
      switch self {
      case .faces(let padding, _), .heads(let padding, _), .bodies(let padding, _), .framing(_, let padding, _): padding
      case .fill, .template: Padding()
      }
    }
    set { change(aspect, newValue, edge) }
  }

  /// The treatment of a frame that reaches over the image's edge. It is `shift` in layouts without a framing.
  ///
  /// Set it as a property of ``Composition/layout``. A new value changes the treatment of `framing`.
  public var edge: EdgePolicy {
    get {
      if case .framing(_, _, let edge) = self { edge } else { .shift }
    }
    set { change(aspect, padding, newValue) }
  }

  /// Sets the properties that the layout has.
  private mutating func change(_ aspect: AspectRatio?, _ padding: Padding, _ edge: EdgePolicy) {
    switch self {
    case .faces: self = .faces(padding: padding, aspect: aspect)
    case .heads: self = .heads(padding: padding, aspect: aspect)
    case .bodies: self = .bodies(padding: padding, aspect: aspect)
    case .fill: self = .fill(aspect)
    case .framing(var framing, _, _):
      framing.aspect = aspect ?? framing.aspect
      self = .framing(framing, padding: padding, edge: edge)
    case .template: break
    }
  }
}

/// The treatment of a framing that reaches over the image's edge.
public enum EdgePolicy: String, Hashable, Sendable, StableKeyed {
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
