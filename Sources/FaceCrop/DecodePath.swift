/// The way on which the pixels of a picture were reached. They are the same on each; what they cost is not.
public enum DecodePath: String, Hashable, Sendable, Codable {
  /// One walk over a baseline JPEG's data found where everything is; only what was wanted was decoded.
  case index
  /// The coefficients of a JPEG of several scans were gathered once, in memory.
  case coefficients
  /// Decoded from the file's beginning to the last row wanted.
  case sequential
}
