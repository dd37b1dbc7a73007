/// The file format of a response.
public struct ImageEncoding: Hashable, Sendable {
  /// The allowed formats; never empty. If the source's format is not among them, the first is used.
  public let formats: [OutputFormat]
  /// Whether JPEG, PNG or TIFF replaces a format that cannot hold a still image, with
  /// ``CropWarning/otherFormat(wanted:actual:size:)``. Otherwise such a request fails. Default false.
  public var allowsOtherFormats = false

  /// Creates an encoding with one format for every image.
  public init(_ format: OutputFormat) {
    formats = [format]
  }

  /// Creates an encoding that keeps the source's format if it is `first` or one of `others`, and else uses `first`.
  public init(sourceFormatAmong first: OutputFormat, _ others: OutputFormat...) {
    formats = [first] + others
  }

  /// Creates an encoding that keeps the source's format if it is among `formats`, and else uses the first one.
  ///
  /// - Precondition: `formats` is not empty.
  public init(sourceFormatAmong formats: [OutputFormat]) {
    precondition(!formats.isEmpty, "an encoding needs a format")
    self.formats = formats
  }

  func output(for source: ImageFormat) -> OutputFormat {
    formats.first { $0.imageFormat == source } ?? formats[0]
  }

  /// Returns the output format for an image of a size, and a warning if it is another one.
  func output(
    for source: ImageFormat, size: PixelSize, hasAlpha: Bool
  ) -> (OutputFormat, warning: CropWarning?) {
    let output = output(for: source)
    let (format, warning) = output.imageFormat.holding(size, needing: hasAlpha ? .transparency : [])
    return allowsOtherFormats && warning != nil ? (OutputFormat(format), warning) : (output, nil)
  }

  /// Returns the output format for all frames of an animation: the source's own if it is allowed, or else the first
  /// allowed one that can have frames. Throws ``FaceCropError/invalidRequest(_:)`` if none can.
  func animatedOutput(for source: ImageFormat) throws(FaceCropError) -> OutputFormat {
    let able = formats.filter { $0.imageFormat.encoderFeatures.contains(.animation) }
    guard let first = able.first else { throw .noAnimation(in: formats[0].imageFormat) }
    return able.first { $0.imageFormat == source } ?? first
  }
}

/// An image as the bytes of a file.
public struct EncodedImage: Hashable, Sendable {
  /// The file's format.
  public var format: ImageFormat
  /// The bytes of the whole file.
  public var bytes: [UInt8]

  /// Creates an encoded image.
  public init(format: ImageFormat, bytes: [UInt8]) {
    self.format = format
    self.bytes = bytes
  }
}
