/// The treatment of a gain map: a smaller image that stores the extra brightness of each pixel for HDR displays.
///
/// facecrop crops and resizes the map like the image, and writes it into the same JPEG file.
public enum GainMapPolicy: String, Hashable, Sendable, CaseIterable, StableKeyed {
  /// Keeps the map in outputs whose longer side exceeds ``GainMap/largeSide`` pixels. Other outputs drop it, with a
  /// ``CropWarning/gainMapDropped(_:)``.
  case automatic
  /// Keeps the map if possible, else warns.
  case keep
  /// Drops the map without a warning.
  case drop
  /// Drops the map with a warning, for outputs of a format without gain maps: all but JPEG.
  case otherFormat = "other-format"
}

/// The reason why an output has no gain map.
public enum GainMapObstacle: Hashable, Sendable, Codable {
  /// The output is small, and ``GainMapPolicy/automatic`` keeps the map only in large ones.
  case smallOutput
  /// The output's format has no gain maps.
  case format
  /// The output has a new background.
  case background
  /// The output is cut to a circle, rotated, or reaches out of the image.
  case shape
  /// The map is damaged, or its shape differs from the image.
  case unusable
  /// The map could show the hidden faces.
  case hiddenFaces
}

/// The gain map of a crop: the same region of the map.
public struct GainMap: Hashable, Sendable {
  /// The longer side, in pixels, above which ``GainMapPolicy/automatic`` keeps a map.
  public static let largeSide = 1_000

  /// The metadata format of a gain map.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Ultra HDR: the XMP properties of Adobe and Google (Gain Map Specification 1.0; Ultra HDR Image Format 1.1).
    case ultraHDR = "ultra-hdr"
    /// Only ISO 21496-1.
    case iso
    /// Apple's format.
    case apple
  }

  /// The metadata format.
  public var kind: Kind
  /// The map's pixels, upright like the crop: gray, or one map for each color.
  public var pixels: PixelBuffer
  /// The metadata for displays, written anew.
  var metadata: Metadata

  /// The metadata that a display needs.
  struct Metadata: Hashable, Sendable {
    var kind: Kind
    /// XMP properties by name, with one value or one for each color.
    var properties: [String: [String]] = [:]
    /// The structure of ISO 21496-1; nil if absent.
    var iso: [UInt8]?
  }
}
