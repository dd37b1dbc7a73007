/// What a camera's RAW file says beside its preview; see ``ImageInfo/raw``.
public struct RAWOrigin: Hashable, Sendable {
  /// Whose kind of file it is.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Canon's, like TIFF.
    case cr2
    /// Canon's since 2018, in boxes like MP4's.
    case cr3
    /// Nikon's.
    case nef
    /// Sony's.
    case arw
    /// Adobe's Digital Negative, which several makers' cameras and telephones write.
    case dng
    /// Fujifilm's.
    case raf
    /// Olympus's and OM System's.
    case orf
    /// Panasonic's and Leica's.
    case rw2
    /// Pentax's.
    case pef
    /// Samsung's.
    case srw
    /// One like TIFF, of another maker.
    case other
  }

  /// The file's kind.
  public var kind: Kind
  /// The camera's maker and model; nil when it does not say.
  public var camera: String?
  /// The size of the sensor's picture in pixels, as stored; nil when it does not say.
  public var sensorSize: PixelSize?
}

extension RAWOrigin.Kind: CustomStringConvertible {
  /// As its maker writes it.
  public var description: String { self == .other ? "of its maker's own kind" : rawValue.uppercased() }
}
