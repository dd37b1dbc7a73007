/// Makes what a picker hands over small enough to keep: upright, at most 2,000 pixels a side, JPEG or PNG, one at a time, so
/// that ten photographs take the memory of one.
///
/// ```swift
/// let importer = ImageImporter()
/// for await item in importer.imports(of: paths.map { .file($0) }) {
///   print("\(item.completed) of \(item.total)", item.result)
/// }
/// ```
public struct ImageImporter: Sendable {
  /// How pictures are kept.
  public struct Options: Hashable, Sendable {
    /// The longer side in pixels; smaller pictures stay as they are. Default 2,000.
    public var longestSide: Int
    /// The quality of JPEG, 1…100. Default 75.
    public var jpegQuality: Int
    /// Pictures at once; each takes up to 24 MiB at 2,000 pixels. Default 1.
    public var maximumConcurrentImports: Int
    /// Default `srgb`.
    public var color: ColorPolicy
    /// Whether the manager's ``AssetLoader`` may be asked. Default false.
    public var isNetworkAccessAllowed: Bool

    /// By default small enough for a form.
    public init(
      longestSide: Int = 2_000, jpegQuality: Int = 75, maximumConcurrentImports: Int = 1, color: ColorPolicy = .srgb,
      isNetworkAccessAllowed: Bool = false
    ) {
      self.longestSide = longestSide
      self.jpegQuality = jpegQuality
      self.maximumConcurrentImports = maximumConcurrentImports
      self.color = color
      self.isNetworkAccessAllowed = isNetworkAccessAllowed
    }
  }

  /// The options that it was made with.
  public let options: Options
  private let manager: any ImageRequesting

  /// - Parameters:
  ///   - options: Sizes, formats, and how many at once.
  ///   - manager: Decodes. Default one of its own.
  public init(options: Options = Options(), manager: any ImageRequesting = ImageManager()) {
    self.options = options
    self.manager = manager
  }

  /// The pictures in the order in which they are given, each as soon as it and those before it are done; one that fails keeps no
  /// other from being imported. When the reader stops, so does the work; no more than ``Options/maximumConcurrentImports``
  /// pictures are ahead of it.
  public func imports(of assets: [ImageAsset]) -> ImportSequence {
    ImportSequence(importer: self, assets: assets)
  }

  /// All of them.
  ///
  /// - Parameters:
  ///   - assets: In the order in which their pictures are wanted.
  ///   - progress: Called after each.
  /// - Returns: For each asset, in order, its picture or why there is none.
  public func importAll(
    _ assets: [ImageAsset], progress: (_ completed: Int, _ total: Int) -> Void = { _, _ in }
  ) async -> [Result<ImportedImage, ImageRequestError>] {
    var results: [Result<ImportedImage, ImageRequestError>] = []
    for await item in imports(of: assets) {
      results.append(item.result)
      progress(item.completed, item.total)
    }
    // A cancelled task's sequence ends early.
    results += Array(repeating: .failure(.cancelled), count: assets.count - results.count)
    return results
  }

  /// One picture.
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
    // A manager of somebody else's may not know the option.
    guard let file = response.file else {
      throw .loadingFailed("the image manager returned no file (support ImageRequestOptions.encoding)")
    }
    return ImportedImage(
      bytes: file.bytes, format: file.format, size: response.image.size, sourceSize: response.sourceSize,
      warnings: response.warnings)
  }
}

/// A picture as it is kept.
public struct ImportedImage: Hashable, Sendable {
  /// A whole file, without metadata.
  public var bytes: [UInt8]
  /// PNG for PNG, which stays lossless; else JPEG.
  public var format: ImageFormat
  /// The picture's size in pixels.
  public var size: PixelSize
  /// The size of the picture that it was, as displayed, in pixels.
  public var sourceSize: PixelSize
  /// What was wrong with the picture and did not keep it from being imported.
  public var warnings: [CropWarning]
}

/// See ``ImageImporter/imports(of:)``.
public struct ImportSequence: AsyncSequence, Sendable {
  /// One picture's end.
  public struct Item: Sendable {
    /// The picture, or why there is none.
    public var result: Result<ImportedImage, ImageRequestError>
    /// This one and those before it.
    public var completed: Int
    /// All that were given.
    public var total: Int
  }

  let importer: ImageImporter
  let assets: [ImageAsset]

  /// Starts anew with each.
  public func makeAsyncIterator() -> Iterator { Iterator(importer: importer, assets: assets) }

  /// Imports as it is read.
  public final class Iterator: AsyncIteratorProtocol {
    private let importer: ImageImporter
    private let assets: [ImageAsset]
    private var completed = 0
    /// Those that run, in order.
    private var running: [Task<Result<ImportedImage, ImageRequestError>, Never>] = []

    init(importer: ImageImporter, assets: [ImageAsset]) {
      self.importer = importer
      self.assets = assets
    }

    deinit {
      for task in running { task.cancel() }
    }

    /// Nil at the end, and when the task is cancelled.
    public func next() async -> Item? {
      guard completed < assets.count, !Task.isCancelled else { return nil }
      while running.count < Swift.max(importer.options.maximumConcurrentImports, 1),
        completed + running.count < assets.count
      {
        let asset = assets[completed + running.count]
        running.append(
          Task { [importer] in
            do throws(ImageRequestError) {
              return .success(try await importer.importImage(asset))
            } catch {
              return .failure(error)
            }
          })
      }
      let first = running[0]
      let result = await withTaskCancellationHandler {
        await first.value
      } onCancel: {
        first.cancel()
      }
      running.removeFirst()
      completed += 1
      return Item(result: result, completed: completed, total: assets.count)
    }
  }
}
