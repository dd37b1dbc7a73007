/// The file format that a response is encoded in.
public struct ImageEncoding: Hashable, Sendable {
  /// What to choose from: the source's own format where it is listed, else the first. Never empty.
  public let formats: [OutputFormat]

  /// The same format for every image.
  public init(_ format: OutputFormat) {
    formats = [format]
  }

  /// The format of the source where it is `first` or one of `others`, else `first`.
  public init(sourceFormatAmong first: OutputFormat, _ others: OutputFormat...) {
    formats = [first] + others
  }

  /// The format for an image of a source of that format.
  func output(for source: ImageFormat) -> OutputFormat {
    formats.first { $0.imageFormat == source } ?? formats[0]
  }
}

/// An image as the bytes of a file.
public struct EncodedImage: Hashable, Sendable {
  /// The file's format.
  public var format: ImageFormat
  /// The whole file.
  public var bytes: [UInt8]

  /// The format and the bytes of a file.
  public init(format: ImageFormat, bytes: [UInt8]) {
    self.format = format
    self.bytes = bytes
  }
}
