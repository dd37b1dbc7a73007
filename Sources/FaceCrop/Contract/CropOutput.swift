/// The sizes, colors, and metadata of outputs.
public struct CropOutput: Hashable, Sendable {
  /// The output sizes. All share one detection pass and one decoded region. Empty keeps every region at full
  /// resolution. Default empty.
  public var sizes: [OutputSize]
  /// Whether outputs may be larger than their region. If false, such outputs become smaller, with
  /// ``CropWarning/smaller(requested:actual:)``. Default false.
  public var allowsUpscaling: Bool
  /// The minimum length, in pixels, of the longer side of every output. Default 1.
  ///
  /// An image with a smaller output fails with ``FaceCropError/tooSmall(_:allowedSide:)`` before anything is rendered.
  public var smallestSide: Int
  /// The opaque area of the outputs. Default `rectangle`.
  public var shape: CropShape
  /// The filling of a frame outside the image, for example under ``EdgePolicy/pad``. A new background, except a blur,
  /// covers a color. Default `edge`.
  public var fill: PadFill
  /// A new background behind the people; nil keeps the image's own. Default nil.
  public var background: Background?
  /// The color space. Default `srgb`.
  public var color: ColorPolicy
  /// The metadata to copy from the image. Default `strip`.
  public var metadata: MetadataPolicy
  /// An XMP packet from a file beside the image, at most ``largestSidecar`` bytes. Its fields replace the image's. Default
  /// nil.
  public var sidecar: [UInt8]?
  /// The treatment of a gain map. Default `automatic`.
  ///
  /// The map's values refer to the image's own colors. Use `keep` for `color` if these differ from sRGB.
  public var gainMap: GainMapPolicy
  /// The resolution to write into the file, 1 to 65,535 pixels per inch. JPEG rounds it to a whole number.
  ///
  /// Nil copies the image's resolution, unless `metadata` is `strip`. The size does not change it. Default nil.
  public var resolution: Double?
  /// Whether an output smaller than requested gets a proportionally lower resolution, so that its printed size stays
  /// the same. Default false.
  public var keepsPrintedSize: Bool

  /// Whether outputs of an opaque image have transparent pixels.
  public var isTransparent: Bool { shape == .circle || background?.fill == .transparent }

  /// The upper bound of ``sidecar`` in bytes.
  public static let largestSidecar = 512 << 10

  /// Creates settings; the defaults give each region at full resolution, in sRGB, without metadata.
  public init(
    sizes: [OutputSize] = [], allowsUpscaling: Bool = false, smallestSide: Int = 1, shape: CropShape = .rectangle,
    fill: PadFill = .edge,
    color: ColorPolicy = .srgb, metadata: MetadataPolicy = .strip, gainMap: GainMapPolicy = .automatic,
    resolution: Double? = nil,
    keepsPrintedSize: Bool = false, sidecar: [UInt8]? = nil, background: Background? = nil
  ) {
    self.sizes = sizes
    self.allowsUpscaling = allowsUpscaling
    self.smallestSide = smallestSide
    self.shape = shape
    self.fill = fill
    self.background = background
    self.color = color
    self.metadata = metadata
    self.sidecar = sidecar
    self.gainMap = gainMap
    self.resolution = resolution
    self.keepsPrintedSize = keepsPrintedSize
  }
}

/// The opaque area of an output.
public enum CropShape: String, Hashable, Sendable, StableKeyed {
  /// The whole rectangle.
  case rectangle
  /// The circle or ellipse that touches the sides. A format without transparency shows its background around it.
  case circle
}

/// The colors of an output if the image has a color profile.
public enum ColorPolicy: String, Hashable, Sendable, CaseIterable, StableKeyed {
  /// Converts to sRGB with perceptual intent, without a profile. Safe for viewers that ignore profiles.
  case srgb
  /// Keeps the image's own colors and its profile.
  case keep
}

/// The metadata to copy from the image into outputs.
///
/// facecrop writes the metadata anew. It never copies an embedded image, which could show the area outside the crop, or
/// a maker note, which can contain one.
public enum MetadataPolicy: String, Hashable, Sendable, CaseIterable, StableKeyed {
  /// Copies nothing.
  case strip
  /// Copies EXIF's artist and copyright, the authors and rights of the ``Credits`` as XMP, and the resolution.
  case copyright
  /// Copies the EXIF tags that Exif 2.32 lists (GPS position included), all ``Credits``, and the resolution. Orientation, size,
  /// and color space are corrected for the output.
  case keep
}
