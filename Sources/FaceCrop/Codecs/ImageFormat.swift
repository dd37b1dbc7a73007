/// An input format.
public enum ImageFormat: String, Hashable, Sendable, CaseIterable {
  /// Formats with reading and writing; animations in WebP. Animated PNG is only read.
  case jpeg, png, webp
  /// HEIF with HEVC (read only) and with AV1 (read and written), in builds with the package trait `HEIF`.
  case heic, avif
  /// GIF, read and written, with animations.
  case gif
  /// JPEG XL, read only, if libjxl is installed.
  case jxl
  /// TIFF, read and written; one page, see ``ImageSource/page``.
  case tiff
  /// Camera RAW, read only: the largest embedded JPEG, never the sensor data.
  case raw

  private var descriptor: FormatDescriptor { Codecs.descriptor(of: self) }

  /// The format's own name.
  public var name: String { descriptor.name }
  /// The file extensions in lower case, without a dot, the most common one first.
  public var fileExtensions: [String] { descriptor.fileExtensions }
  /// The media type (RFC 6838), such as `image/jpeg`.
  public var mediaType: String { descriptor.mediaType }
  /// Whether crops can be written in the format.
  public var isWritten: Bool { descriptor.encoder != nil }
  /// The features of the encoder; empty if the format is read only.
  public var encoderFeatures: EncoderFeatures { descriptor.encoder?.features ?? [] }

  /// The upper bound of a written image's sides in pixels; 0 if the format is read only.
  public var largestSide: Int { descriptor.encoder?.largestSide ?? 0 }

  /// Throws ``FaceCropError/formatLimit(_:format:allowedSide:)`` for outputs that exceed the format.
  func check(_ size: PixelSize) throws(FaceCropError) {
    guard size.longSide <= largestSide else { throw .formatLimit(size, format: name, allowedSide: largestSide) }
  }

  /// Returns the format for an output whose format nobody named: itself, or else the first one of JPEG, PNG and TIFF
  /// that can hold it, with a warning.
  ///
  /// - Parameters:
  ///   - size: The size of the output.
  ///   - features: The features that the other format's encoder must have. Default none.
  public func holding(
    _ size: PixelSize, needing features: EncoderFeatures = []
  ) -> (format: ImageFormat, warning: CropWarning?) {
    let others = [self, .jpeg, .png, .tiff].filter { $0.largestSide >= size.longSide }
    guard let other = others.first(where: { $0 == self || $0.encoderFeatures.isSuperset(of: features) }), other != self
    else { return (self, nil) }
    return (other, .otherFormat(wanted: name, actual: other.name, size: size))
  }

  /// The features of a format's encoder.
  public struct EncoderFeatures: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Lossy compression with a quality from 1 to 100.
    public static let quality = EncoderFeatures(rawValue: 1 << 0)
    /// Lossless compression as an alternative to a quality.
    public static let losslessQuality = EncoderFeatures(rawValue: 1 << 1)
    /// Alpha.
    public static let transparency = EncoderFeatures(rawValue: 1 << 2)
    /// Progressive files, which display coarsely first.
    public static let progressive = EncoderFeatures(rawValue: 1 << 3)
    /// A choice of ``ChromaSubsampling``.
    public static let subsampling = EncoderFeatures(rawValue: 1 << 4)
    /// A choice of speed: slower encoding gives smaller files.
    public static let speed = EncoderFeatures(rawValue: 1 << 5)
    /// Animations; see ``AnimationPolicy/keep``.
    public static let animation = EncoderFeatures(rawValue: 1 << 6)
  }

  /// The formats of this build, as text for error messages.
  static var names: String {
    let names = Codecs.all.filter(\.isRead).map(\.name)
    return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
  }

  /// The default format for crops of such an image: its own for JPEG, PNG, and WebP, and JPEG for all others.
  public var usualFormat: ImageFormat { descriptor.encoder?.isUsual == true ? self : .jpeg }

  /// Returns the default format for crops of such an image under a policy for animations: GIF for GIF if all frames
  /// are kept, and else ``usualFormat``.
  public func usualFormat(for animation: AnimationPolicy) -> ImageFormat {
    animation == .keep && self == .gif ? .gif : usualFormat
  }

  /// The default format with its default quality.
  var usualOutput: OutputFormat { OutputFormat(usualFormat) }
}

/// A file format for a crop, with its settings.
public enum OutputFormat: Hashable, Sendable {
  /// JPEG with quality 1…100 as in libjpeg, without transparency. Progressive files are a few percent smaller, display
  /// coarsely first, and take several times as long to decode.
  case jpeg(quality: Int, subsampling: ChromaSubsampling = .automatic, isProgressive: Bool = false)
  /// PNG with 8 bits per sample.
  case png
  /// Lossy WebP with quality 1…100 as in libwebp, a different scale from JPEG's. Gray is stored as RGB.
  ///
  /// Compressed alpha takes libwebp up to 33 bytes per pixel. Above ``Limits/imageBytes``, by default from 6.4
  /// million pixels on, alpha is stored uncompressed with a byte per pixel.
  case webp(quality: Int)
  /// Lossless WebP; only fully transparent pixels lose their colors. Encoding takes up to 35 bytes per pixel, bounded by
  /// ``Limits/encodingBytes``: by default up to 38 million pixels.
  case webpLossless
  /// AVIF with 8 bits per sample, by libaom, in builds with the package trait `HEIF`. Quality 1…100 follows JPEG's
  /// scale: the same number looks equally good.
  ///
  /// Speed 0…9 is libaom's. At 7, the default, a file is a quarter smaller than a JPEG of equal appearance. At 9 it is
  /// an eighth smaller, in a quarter of the time. Encoding takes up to 54 bytes per pixel, bounded by
  /// ``Limits/encodingBytes``. It can be cancelled only before it starts.
  case avif(quality: Int, subsampling: ChromaSubsampling = .automatic, speed: Int = 7)
  /// TIFF with 8 bits per sample and lossless compression (Deflate), for print shops.
  case tiff
  /// GIF with up to 256 colors in each frame, which stay exact if there are no more; without dithering. Alpha below 128
  /// is transparent. It has no EXIF data, and no resolution.
  case gif
}

extension OutputFormat {
  /// The default quality of JPEG, WebP and AVIF.
  public static let usualQuality = 85

  /// Creates a format with its default settings, as JPEG if facecrop does not write it.
  ///
  /// - Parameters:
  ///   - format: The format.
  ///   - quality: The quality of JPEG, WebP or AVIF. Default ``usualQuality``.
  public init(_ format: ImageFormat, quality: Int = Self.usualQuality) {
    switch format {
    case .png: self = .png
    case .tiff: self = .tiff
    case .gif: self = .gif
    case .webp: self = .webp(quality: quality)
    case .avif: self = .avif(quality: quality)
    case .jpeg, .heic, .jxl, .raw: self = .jpeg(quality: quality)
    }
  }

  /// The file format without its settings.
  public var imageFormat: ImageFormat {
    switch self {
    case .jpeg: .jpeg
    case .png: .png
    case .webp, .webpLossless: .webp
    case .avif: .avif
    case .tiff: .tiff
    case .gif: .gif
    }
  }

  /// The quality; nil for lossless formats.
  var quality: Int? {
    switch self {
    case .jpeg(let quality, _, _), .webp(let quality), .avif(let quality, _, _): quality
    case .png, .webpLossless, .tiff, .gif: nil
    }
  }

  /// Returns the format with another quality; lossless formats are unchanged.
  func with(quality: Int) -> OutputFormat {
    switch self {
    case .jpeg(_, let subsampling, let isProgressive):
      .jpeg(quality: quality, subsampling: subsampling, isProgressive: isProgressive)
    case .webp: .webp(quality: quality)
    case .avif(_, let subsampling, let speed): .avif(quality: quality, subsampling: subsampling, speed: speed)
    case .png, .webpLossless, .tiff, .gif: self
    }
  }
}

/// The chroma subsampling of a JPEG or AVIF.
public enum ChromaSubsampling: String, Hashable, Sendable, CaseIterable {
  /// 4:4:4 from quality 90 on, and 4:2:0 below, where quantization hides the loss.
  case automatic
  /// 4:4:4: color for every pixel.
  case yuv444 = "4:4:4"
  /// 4:2:2: color for every two pixels side by side.
  case yuv422 = "4:2:2"
  /// 4:2:0: color for every four pixels.
  case yuv420 = "4:2:0"

  /// The quality from which `automatic` stores color at full size. Below it, quantization hides the loss of 4:2:0.
  static let fullQuality = 90

  /// Returns the subsampling at a quality, without `automatic`.
  func chosen(quality: Int) -> ChromaSubsampling {
    self == .automatic ? quality >= Self.fullQuality ? .yuv444 : .yuv420 : self
  }
}
