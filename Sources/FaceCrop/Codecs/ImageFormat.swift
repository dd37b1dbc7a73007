/// The formats that are read.
public enum ImageFormat: String, Hashable, Sendable, CaseIterable {
  /// Read and written.
  case jpeg, png, webp
  /// HEIF with pictures coded by HEVC, which is read alone, and with such by AV1, which is written too; only in builds with the package
  /// trait `HEIF`.
  case heic, avif
  /// Read alone: an animation's first frame.
  case gif
  /// JPEG XL, read alone, where libjxl is installed: an animation's first frame.
  case jxl
  /// Read and written; the first of its pages is read.
  case tiff
  /// A camera's RAW file, read alone: the largest JPEG in it, never what the sensor saw.
  case raw

  private var descriptor: FormatDescriptor { Codecs.descriptor(of: self) }

  /// What it calls itself.
  public var name: String { descriptor.name }
  /// The extensions of its files' names, in lower case and without the dot; the usual one is the first.
  public var fileExtensions: [String] { descriptor.fileExtensions }
  /// Its media type (RFC 6838), such as `image/jpeg`.
  public var mediaType: String { descriptor.mediaType }
  /// Whether crops can be written in it.
  public var isWritten: Bool { descriptor.encoder != nil }
  /// What its encoder can do; nothing where it is not written.
  public var encoderFeatures: EncoderFeatures { descriptor.encoder?.features ?? [] }

  /// What a format's encoder can do.
  public struct EncoderFeatures: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// It compresses with loss, by a quality from 1 to 100.
    public static let quality = EncoderFeatures(rawValue: 1 << 0)
    /// Beside its quality it knows another way to compress, without loss.
    public static let losslessQuality = EncoderFeatures(rawValue: 1 << 1)
    /// It stores alpha.
    public static let transparency = EncoderFeatures(rawValue: 1 << 2)
    /// It writes files that show themselves coarsely first.
    public static let progressive = EncoderFeatures(rawValue: 1 << 3)
    /// How much of the color it stores is a choice, ``ChromaSubsampling``.
    public static let subsampling = EncoderFeatures(rawValue: 1 << 4)
    /// It makes smaller files when it is given more time.
    public static let speed = EncoderFeatures(rawValue: 1 << 5)
  }

  /// Those that this build reads, as a sentence has them.
  static var names: String {
    let names = Codecs.all.filter(\.isRead).map(\.name)
    return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
  }

  /// The format of crops of such a picture where nothing else is said: its own for JPEG, PNG and WebP, and JPEG for all others.
  public var usualFormat: ImageFormat { descriptor.encoder?.usual == nil ? .jpeg : self }

  /// The same, with the usual quality.
  var usualOutput: OutputFormat { descriptor.encoder?.usual ?? .jpeg(quality: 85) }
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
  /// pixel, which ``Limits/pictureBytes`` bounds: by default 6 million pixels are encoded so.
  case webpLossless
  /// AVIF of 8 bits a sample, by libaom; quality 1…100 on JPEG's scale: at the same number a file looks as
  /// good as a JPEG. Speed 0…9 is libaom's: at 7, the default, a file is a quarter smaller than a JPEG that looks the same, at 9 an eighth, in
  /// a quarter of the time. Encoding takes up to 54 bytes a pixel, which ``Limits/pictureBytes`` bounds. It can be cancelled before it
  /// begins alone. Only in builds with the package trait `HEIF`.
  case avif(quality: Int, subsampling: ChromaSubsampling = .automatic, speed: Int = 7)
  /// TIFF of 8 bits a sample, compressed without loss (Deflate), as print shops take it.
  case tiff
}

extension OutputFormat {
  /// The file's format, without how it is written.
  public var imageFormat: ImageFormat {
    switch self {
    case .jpeg: .jpeg
    case .png: .png
    case .webp, .webpLossless: .webp
    case .avif: .avif
    case .tiff: .tiff
    }
  }

  /// Nil where pixels are kept as they are.
  var quality: Int? {
    switch self {
    case .jpeg(let quality, _, _), .webp(let quality), .avif(let quality, _, _): quality
    case .png, .webpLossless, .tiff: nil
    }
  }

  /// The same of another quality, where it has one.
  func with(quality: Int) -> OutputFormat {
    switch self {
    case .jpeg(_, let subsampling, let isProgressive):
      .jpeg(quality: quality, subsampling: subsampling, isProgressive: isProgressive)
    case .webp: .webp(quality: quality)
    case .avif(_, let subsampling, let speed): .avif(quality: quality, subsampling: subsampling, speed: speed)
    case .png, .webpLossless, .tiff: self
    }
  }
}

/// How much of a JPEG's or an AVIF's color is stored, in the customary notation.
public enum ChromaSubsampling: Hashable, Sendable, CaseIterable {
  /// 4:4:4 from quality 90 on, 4:2:0 below, where quantization hides what it loses.
  case automatic
  /// That of every pixel.
  case yuv444
  /// One of two side by side.
  case yuv422
  /// One of four.
  case yuv420

  /// From this quality on, color is stored at full resolution where nothing is said: below it, quantization hides what 4:2:0 loses.
  static let fullQuality = 90

  /// What `automatic` is at a quality.
  func chosen(quality: Int) -> ChromaSubsampling {
    self == .automatic ? quality >= Self.fullQuality ? .yuv444 : .yuv420 : self
  }
}
