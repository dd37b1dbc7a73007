/// What is wanted of a picture.
public struct CropRequest: Hashable, Sendable {
  /// Which of the faces found the crop is for. Default `union`.
  public var faces: FaceSelection = .union
  /// How the head is placed; nil takes no more than face box, padding and aspect ask for. Default nil.
  public var framing: Framing?
  /// Whether the output is turned so that the eyes are level, where the region is for one face whose eyes the detector has found.
  /// Default false.
  public var levelsEyes = false
  /// What happens to a framing that reaches over the picture's edge. Default `shift`.
  public var edge: EdgePolicy = .shift
  /// Margin around the selected face box, in fractions of that box; a framing's margin grows by it. Default none.
  public var padding = Padding()
  /// Shape of the region; nil leaves it as the framing, or faces and padding, make it. Default nil.
  public var aspect: AspectRatio?
  /// Sizes of the outputs; several are made of one look and one decoded region. Empty leaves every region at its full
  /// resolution. Default empty.
  public var sizes: [OutputSize] = []
  /// Whether outputs may be larger than their region is in the picture. Default false: they are made smaller, with
  /// ``CropWarning/smaller(asked:made:)``.
  public var enlarges = false
  /// What of the outputs is opaque. Default `rectangle`.
  public var shape: CropShape = .rectangle
  /// What to do when there is no face to crop to. Default `whole`.
  public var noFace: NoFacePolicy = .whole
  /// In which colors the output is. Default `srgb`.
  public var color: ColorPolicy = .srgb
  /// What of the picture's EXIF data goes into the output. Default `strip`.
  public var metadata: MetadataPolicy = .strip
  /// Whether damaged or truncated pictures are rendered as far as they can be read, with a ``CropWarning``, instead of
  /// failing. Default false.
  public var allowsDamage = false

  /// The defaults.
  public init() {}
}

/// What happens to a framing that reaches over the picture's edge.
public enum EdgePolicy: Hashable, Sendable {
  /// It is moved into the picture, and made smaller where the picture is.
  case shift
  /// It stays as it is, and what lies outside the picture is filled.
  case pad(PadFill)
}

/// What of an output is opaque.
public enum CropShape: Hashable, Sendable {
  /// All of it.
  case rectangle
  /// The circle, or ellipse, that touches its sides; a format without transparency shows its background around it.
  case circle
}

/// What lies outside the picture in a padded crop.
public enum PadFill: Hashable, Sendable {
  /// One color.
  case color(red: UInt8, green: UInt8, blue: UInt8)
  /// The pixels of the picture's edge, repeated.
  case edge
  /// The picture itself, mirrored at its edge and blurred.
  case blur
}

/// Margin per side in fractions of the face box: `top` and `bottom` of its height, `right` and `left` of its width.
public struct Padding: Hashable, Sendable {
  /// Above the box, in fractions of its height.
  public var top: Double
  /// To the right of it, in fractions of its width.
  public var right: Double
  /// Below it, in fractions of its height.
  public var bottom: Double
  /// To the left of it, in fractions of its width.
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
  /// In any unit, as long as it is the height's; above 0.
  public var width: Double
  /// As ``width``.
  public var height: Double

  /// - Precondition for planning: both are finite and above 0.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// 1:1.
  public static let square = AspectRatio(width: 1, height: 1)
}

/// What to do with a picture in which there is no face, or not the one asked for.
public enum NoFacePolicy: String, Hashable, Sendable, CaseIterable {
  /// Take the whole picture, whatever the aspect asked for.
  case whole
  /// Take the largest region around the center that has the aspect asked for, or is square.
  case center
  /// The same, around what draws the eye (X. Hou, L. Zhang, "Saliency Detection: A Spectral Residual Approach", 2007).
  case attention
  /// Render nothing: the plan has no crops.
  case skip
  /// Throw ``FaceCropError/noFace``.
  case fail
}

/// In which colors the output is, where the picture has a color profile.
public enum ColorPolicy: String, Hashable, Sendable, CaseIterable {
  /// Converted to sRGB, perceptually, without a profile: right wherever no one looks at profiles.
  case srgb
  /// As they are, with the picture's profile.
  case keep
}

/// What of the input's metadata goes into the output. An embedded thumbnail, which would show the uncropped picture, never
/// does.
public enum MetadataPolicy: String, Hashable, Sendable, CaseIterable {
  /// Nothing.
  case strip
  /// Who made it and whose it is: EXIF's artist and copyright, and nothing else.
  case copyright
  /// The EXIF data, position included, with the orientation and the size made true.
  case keep
}
