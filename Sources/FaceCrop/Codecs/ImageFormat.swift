/// The formats that are read and written.
public enum ImageFormat: String, Hashable, Sendable, CaseIterable {
  case jpeg, png, webp

  /// What it calls itself.
  public var name: String {
    switch self {
    case .jpeg: "JPEG"
    case .png: "PNG"
    case .webp: "WebP"
    }
  }

  static var names: String { "JPEG, PNG or WebP" }
}

/// A file format to encode a crop in, and how.
public enum OutputFormat: Hashable, Sendable {
  /// Baseline JPEG; quality 1…100 as in libjpeg, with 4:2:0 subsampling below 90 and 4:4:4 from there. It has no
  /// transparency.
  case jpeg(quality: Int)
  /// PNG of 8 bits a sample.
  case png
  /// Lossy WebP; quality 1…100 as in libwebp, which is another scale than JPEG's. It knows no gray, and no profile of gray.
  case webp(quality: Int)
  /// WebP with the pixels as they are, except for the colors of what is wholly transparent.
  case webpLossless
}
