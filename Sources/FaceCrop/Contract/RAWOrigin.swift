/// The camera data of a RAW file beside its preview; see ``ImageInfo/raw``.
public struct RAWOrigin: Hashable, Sendable {
  /// The kind of RAW file.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Canon, based on TIFF.
    case cr2
    /// Canon since 2018, in boxes like MP4.
    case cr3
    /// Nikon.
    case nef
    /// Sony.
    case arw
    /// Adobe's Digital Negative, which cameras and phones of several makers write.
    case dng
    /// Fujifilm.
    case raf
    /// Olympus and OM System.
    case orf
    /// Panasonic and Leica.
    case rw2
    /// Pentax.
    case pef
    /// Samsung.
    case srw
    /// Another maker's, based on TIFF.
    case other
  }

  /// The file's kind.
  public var kind: Kind
  /// The camera's maker and model; nil if unknown.
  public var camera: String?
  /// The size of the sensor's image in pixels, as stored; nil if unknown.
  public var sensorSize: PixelSize?
}

extension RAWOrigin.Kind: CustomStringConvertible {
  /// The name that the maker uses.
  public var description: String { self == .other ? "of its maker's own kind" : rawValue.uppercased() }
}
