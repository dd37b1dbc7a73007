/// The formats that are read.
public enum ImageFormat: String, Hashable, Sendable, CaseIterable {
  /// Read and written.
  case jpeg, png, webp
  /// HEIF with pictures coded by HEVC, and with such by AV1; only in builds with the package trait `HEIF`.
  case heic, avif

  /// Whether crops can be written in it.
  public var isWritten: Bool { self != .heic && self != .avif }

  /// What it calls itself.
  public var name: String {
    switch self {
    case .jpeg: "JPEG"
    case .png: "PNG"
    case .webp: "WebP"
    case .heic: "HEIC"
    case .avif: "AVIF"
    }
  }

  /// Those that this build reads.
  static var names: String {
    #if HEIF
      "JPEG, PNG, WebP, HEIC or AVIF"
    #else
      "JPEG, PNG or WebP"
    #endif
  }
}

/// A file format to encode a crop in, and how.
public enum OutputFormat: Hashable, Sendable {
  /// JPEG; quality 1…100 as in libjpeg. Progressive files are a few percent smaller, show themselves coarsely first, and take
  /// several times as long to decode. It has no transparency.
  case jpeg(quality: Int, subsampling: ChromaSubsampling = .automatic, isProgressive: Bool = false)
  /// PNG of 8 bits a sample.
  case png
  /// Lossy WebP; quality 1…100 as in libwebp, which is another scale than JPEG's. It knows no gray, and no profile of gray.
  /// Compressing alpha takes libwebp up to 33 bytes a pixel; where they are more than ``Limits/pictureBytes``, by default from 6.4
  /// million pixels on, alpha is stored as it is, in a byte a pixel.
  case webp(quality: Int)
  /// WebP with the pixels as they are, except for the colors of what is wholly transparent. Encoding takes up to 35 bytes a
  /// pixel.
  case webpLossless
}

/// How much of a JPEG's color is stored, in the customary notation.
public enum ChromaSubsampling: Hashable, Sendable, CaseIterable {
  /// 4:4:4 from quality 90 on, 4:2:0 below, where quantization hides what it loses.
  case automatic
  /// Every pixel's.
  case yuv444
  /// One of two side by side.
  case yuv422
  /// One of four.
  case yuv420
}
