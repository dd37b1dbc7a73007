/// Whether crops of a picture with a gain map keep it: a smaller picture that says how much brighter than the picture each place is on a
/// display of high dynamic range. It is cropped and made smaller like the picture, and stands in the same JPEG file.
public enum GainMapPolicy: String, Hashable, Sendable, CaseIterable {
  /// Kept by outputs of more than ``GainMap/largeSide`` pixels along the longer side; others drop it, with a
  /// ``CropWarning/gainMapDropped(_:)``.
  case automatic
  /// Kept where it can be; a warning says where not.
  case keep
  /// Dropped, without a warning.
  case drop
  /// Dropped with a warning, for outputs of a format that has none: all but JPEG.
  case otherFormat
}

/// Why a gain map is not in an output.
public enum GainMapObstacle: Hashable, Sendable {
  /// The output is small, and ``GainMapPolicy/automatic`` keeps it in large ones alone.
  case smallOutput
  /// The output's format has none.
  case format
  /// The output is cut to a circle, turned, or reaches out of the picture.
  case shape
  /// It is damaged, or of another shape than the picture.
  case unusable
}

/// A gain map that belongs to a crop: the same region, of the map.
public struct GainMap: Hashable, Sendable {
  /// Pixels of an output's longer side above which ``GainMapPolicy/automatic`` keeps a map.
  public static let largeSide = 1_000

  /// How a file says that it has a gain map, and what it means.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Ultra HDR: Adobe's and Google's properties in XMP (Gain Map Specification 1.0; Ultra HDR Image Format 1.1).
    case ultraHDR = "ultra-hdr"
    /// ISO 21496-1 alone.
    case iso
    /// Apple's own.
    case apple
  }

  /// What it means.
  public var kind: Kind
  /// The map's pixels, upright like the crop's: gray, or a map for each color.
  public var pixels: PixelBuffer
  /// What a display needs beside the pixels, written anew.
  var metadata: Metadata

  /// What a display needs of a gain map beside its pixels.
  struct Metadata: Hashable, Sendable {
    var kind: Kind
    /// Properties of XMP by their names, with a value or one for each color.
    var properties: [String: [String]] = [:]
    /// ISO 21496-1's own structure; nil where there is none.
    var iso: [UInt8]?
  }
}
