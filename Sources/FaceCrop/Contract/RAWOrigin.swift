/// What a camera's RAW file says beside its preview; see ``ImageInfo/raw``.
public struct RAWOrigin: Hashable, Sendable {
  /// Whose kind of file it is.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case cr2, cr3, nef, arw, dng, raf, orf, rw2, pef, srw
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
