/// The way on which the pixels of a picture were reached. A region's are the same on each; what they cost is not.
public enum DecodePath: String, Hashable, Sendable, Codable {
  /// One walk over a baseline JPEG's data found where everything is; only what was wanted was decoded.
  case index
  /// The coefficients of a JPEG of several scans were gathered once, in memory.
  case coefficients
  /// Decoded from the file's beginning to the last row wanted.
  case sequential
  /// Only the tiles of a HEIC or AVIF picture that were touched were decoded.
  case tiles
  /// A HEIC's or AVIF's embedded thumbnail stood in for the picture.
  case thumbnail
}
