/// An importer that reduces picked images to a size worth storing: upright, up to 2,000 pixels a side, JPEG or PNG. By
/// default it processes one image at a time, so that ten photos need the memory of one.
///
/// ```swift
/// let importer = ImageImporter()
/// for await item in importer.imports(of: paths.map { .file($0) }) {
///   print("\(item.completed) of \(item.total)", item.result)
/// }
/// ```
public struct ImageImporter: Sendable {
  /// The options of an import.
  public struct Options: Hashable, Sendable {
    /// The longer side in pixels. Smaller images keep their size. Default 2,000.
    public var longestSide = 2_000
    /// The JPEG quality, 1…100. Default 75.
    public var jpegQuality = 75
    /// The number of images to process at once. Each takes up to 24 MiB at 2,000 pixels. Default 1.
    public var maximumConcurrentImports = 1
    /// The color space. Default `srgb`.
    public var color = ColorPolicy.srgb
    /// Whether the manager may call its ``AssetLoader``. Default false.
    public var isNetworkAccessAllowed = false

    /// Creates options; the defaults suit an upload form.
    public init() {}
  }

  /// The options of this importer.
  public let options: Options
  private let manager: any ImageRequesting

  /// Creates an importer, whose images are decoded by a new manager unless there is another one.
  public init(options: Options = Options(), manager: any ImageRequesting = ImageManager()) {
    self.options = options
    self.manager = manager
  }

  /// Imports images in the given order, ``Options/maximumConcurrentImports`` at once. A failed image does not stop the
  /// others.
  public func imports(of assets: [ImageAsset]) -> OrderedResults<ImportedImage, ImageRequestError> {
    OrderedResults(of: assets, concurrency: options.maximumConcurrentImports) {
      (asset) async throws(ImageRequestError) in try await importImage(asset)
    }
  }

  /// Imports all images.
  ///
  /// - Parameters:
  ///   - assets: The images, in the order of the result.
  ///   - progress: Called after each image.
  /// - Returns: For each asset, in order, its image or the error.
  public func importAll(
    _ assets: [ImageAsset], progress: (_ completed: Int, _ total: Int) -> Void = { _, _ in }
  ) async -> [Result<ImportedImage, ImageRequestError>] {
    var results: [Result<ImportedImage, ImageRequestError>] = []
    for await item in imports(of: assets) {
      results.append(item.result)
      progress(item.completed, item.total)
    }
    // The sequence of a cancelled task ends early.
    results += Array(repeating: .failure(.cancelled), count: assets.count - results.count)
    return results
  }

  /// Imports one image.
  ///
  /// - Throws: Any ``ImageRequestError``.
  public func importImage(_ asset: ImageAsset) async throws(ImageRequestError) -> ImportedImage {
    var wanted = ImageRequestOptions()
    wanted.deliveryMode = .highQuality
    wanted.color = options.color
    wanted.isNetworkAccessAllowed = options.isNetworkAccessAllowed
    wanted.priority = .low
    wanted.encoding = ImageEncoding(sourceFormatAmong: .jpeg(quality: options.jpegQuality), .png)
    let side = options.longestSide
    let response = try await manager.image(
      for: asset, targetSize: PixelSize(width: side, height: side), options: wanted)
    // A custom manager may not support the option.
    guard let file = response.file else {
      throw .loadingFailed("the image manager returned no file (support ImageRequestOptions.encoding)")
    }
    // The longest side is an upper bound, so a smaller image is as requested.
    let warnings = response.warnings.filter { if case .smaller = $0 { false } else { true } }
    return ImportedImage(
      bytes: file.bytes, format: file.format, size: response.image.size, sourceSize: response.sourceSize,
      warnings: warnings)
  }
}

/// An imported image.
public struct ImportedImage: Hashable, Sendable {
  /// The bytes of a whole file without metadata.
  public var bytes: [UInt8]
  /// PNG for PNG images, which stay lossless; else JPEG.
  public var format: ImageFormat
  /// The image's size in pixels.
  public var size: PixelSize
  /// The original's size as displayed, in pixels.
  public var sourceSize: PixelSize
  /// The problems that did not prevent the import. An image that is smaller than ``ImageImporter/Options/longestSide``
  /// is none.
  public var warnings: [CropWarning]
}
