/// What comes out of a plan's regions.
public struct CropOutput: Hashable, Sendable {
  /// Sizes of the outputs; several are made of one look and one decoded region. Empty leaves every region at its full
  /// resolution. Default empty.
  public var sizes: [OutputSize]
  /// Whether outputs may be larger than their region is in the picture. Default false: they are made smaller, with
  /// ``CropWarning/smaller(asked:made:)``.
  public var enlarges: Bool
  /// Pixels that the longer side of every output has to have; a picture of which one would have fewer is
  /// ``FaceCropError/tooSmall(_:allowedSide:)``, before any is made. Default 1.
  public var smallestSide: Int
  /// What of the outputs is opaque. Default `rectangle`.
  public var shape: CropShape
  /// What is shown where a plan's frame reaches out of the picture, as under ``EdgePolicy/pad``. Default `edge`.
  public var fill: PadFill
  /// The colors. Default `srgb`.
  public var color: ColorPolicy
  /// What of the picture's metadata goes into the output. Default `strip`.
  public var metadata: MetadataPolicy
  /// An XMP packet from a file beside the picture, at most ``largestSidecar`` bytes; what it says counts before what the picture says.
  /// Default nil.
  public var sidecar: [UInt8]?
  /// Whether a gain map is kept. Its values are of the picture's own colors: `color` should be `keep` where these are not sRGB's. Default
  /// `automatic`.
  public var gainMap: GainMapPolicy
  /// Pixels per inch that the output's file says it has, 1 to 65,535, in JPEG to the whole number. Default nil: what the picture says,
  /// under policies that keep something; it stays the same, whatever the size.
  public var resolution: Double?
  /// Whether an output that is smaller than was asked for says a lower resolution in that proportion, so that it is printed as large.
  /// Default false.
  public var keepsPrintedSize: Bool

  /// The most bytes of an XMP packet that are read.
  public static let largestSidecar = 512 << 10

  /// By default each region at its full resolution, in sRGB, without metadata.
  public init(
    sizes: [OutputSize] = [], enlarges: Bool = false, smallestSide: Int = 1, shape: CropShape = .rectangle,
    fill: PadFill = .edge,
    color: ColorPolicy = .srgb, metadata: MetadataPolicy = .strip, gainMap: GainMapPolicy = .automatic,
    resolution: Double? = nil,
    keepsPrintedSize: Bool = false, sidecar: [UInt8]? = nil
  ) {
    self.sizes = sizes
    self.enlarges = enlarges
    self.smallestSide = smallestSide
    self.shape = shape
    self.fill = fill
    self.color = color
    self.metadata = metadata
    self.sidecar = sidecar
    self.gainMap = gainMap
    self.resolution = resolution
    self.keepsPrintedSize = keepsPrintedSize
  }
}

/// What of an output is opaque.
public enum CropShape: Hashable, Sendable {
  /// All of it.
  case rectangle
  /// The circle, or ellipse, that touches its sides; a format without transparency shows its background around it.
  case circle
}

/// The colors of an output, where the picture has a color profile.
public enum ColorPolicy: String, Hashable, Sendable, CaseIterable {
  /// Converted to sRGB, perceptually, without a profile: right wherever no one looks at profiles.
  case srgb
  /// The picture's own colors, with its profile.
  case keep
}

/// What of the input's metadata goes into the output. It is written anew: an embedded picture, which would show what was cut
/// off, never is in it, nor is a maker note, which may hold one.
public enum MetadataPolicy: String, Hashable, Sendable, CaseIterable {
  /// Nothing.
  case strip
  /// Who made it and whose it is: EXIF's artist and copyright, the ``Credits`` of IPTC and XMP without what the picture shows, as XMP, and
  /// the resolution; nothing else.
  case copyright
  /// What of the EXIF data the standard (Exif 2.32) lists, position included, with orientation, size and color space made true; and the
  /// ``Credits`` with all that they say of what the picture shows, and the resolution.
  case keep
}
