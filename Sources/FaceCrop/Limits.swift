/// What an input may cost. Every limit is checked after the header and before memory for pixels is taken.
///
/// The defaults let pass what cameras make and refuse what only an attacker would send. Raise one by name:
///
/// ```swift
/// var limits = Limits()
/// limits.pixels = 200_000_000
/// ```
public struct Limits: Hashable, Sendable {
  /// Pixels of the picture, width × height. Default 100 million.
  public var pixels = 100_000_000
  /// Bytes of the file. Default 256 MiB.
  public var fileBytes = 256 << 20
  /// Scans of a progressive or non-interleaved JPEG; each costs a pass over all coefficients (libjpeg-turbo, "Two Issues
  /// with the JPEG Standard", 2016, suggests 100 to 1,000). Default 100.
  public var scans = 100
  /// Bytes of coefficients that such a file needs in memory: 3 per pixel for 4:2:0, 6 for 4:4:4. Default 320 MiB.
  public var coefficientBytes = 320 << 20
  /// Bytes of EXIF data and color profile together. Default 16 MiB.
  public var metadataBytes = 16 << 20
  /// Bytes of the pixels of one decoded region. Default 320 MiB, which is a whole picture of 100 million pixels.
  public var regionBytes = 320 << 20

  /// Bytes of a picture that its decoder holds whole in memory: an interlaced PNG, a lossless WebP, the alpha of a lossy one.
  /// Default 320 MiB.
  public var pictureBytes = 320 << 20

  public init() {}

  public enum Kind: Hashable, Sendable {
    case pixels, fileBytes, scans, coefficientBytes, metadataBytes, regionBytes, pictureBytes

    func sentence(actual: Int, allowed: Int) -> String {
      switch self {
      case .pixels: "\(actual) pixels, allowed are \(allowed)"
      case .fileBytes: "\(actual) bytes, allowed are \(allowed)"
      case .scans: "at least \(actual) scans, allowed are \(allowed)"
      case .coefficientBytes: "\(actual) bytes of coefficients in memory, allowed are \(allowed)"
      case .metadataBytes: "\(actual) bytes of metadata, allowed are \(allowed)"
      case .regionBytes: "\(actual) bytes of pixels in the region, allowed are \(allowed)"
      case .pictureBytes: "\(actual) bytes of pixels in the decoder's memory, allowed are \(allowed)"
      }
    }
  }

  func check(_ kind: Kind, _ actual: Int) throws(FaceCropError) {
    let allowed =
      switch kind {
      case .pixels: pixels
      case .fileBytes: fileBytes
      case .scans: scans
      case .coefficientBytes: coefficientBytes
      case .metadataBytes: metadataBytes
      case .regionBytes: regionBytes
      case .pictureBytes: pictureBytes
      }
    guard actual <= allowed else { throw .overLimit(kind, actual: actual, allowed: allowed) }
  }
}
