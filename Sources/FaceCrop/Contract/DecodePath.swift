/// The method that decoded an image. All methods give the same pixels of a region, at different cost.
public enum DecodePath: String, Hashable, Sendable, Codable {
  /// One walk over a baseline JPEG's data located every block. Only the region was decoded.
  case index
  /// The coefficients of a JPEG with several scans were decoded once and held in memory.
  case coefficients
  /// The file was decoded from its start to the last row of the region.
  case sequential
  /// Only the tiles that the region touches were decoded, in a HEIC or AVIF image.
  case tiles
  /// The embedded thumbnail of a HEIC or AVIF image was decoded instead of the image.
  case thumbnail
}
