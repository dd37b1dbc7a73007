/// A request for a whole image with hidden faces; see ``ImageManager/anonymizedImage(for:progress:)``.
public struct AnonymizationRequest: Hashable, Sendable {
  /// The requested image.
  public var asset: ImageAsset
  /// The faces to hide, the way to hide them, and the metadata to keep. Default `Anonymization()`.
  public var anonymization: Anonymization
  /// The format of the result. Default nil: JPEG, PNG, and WebP keep their format, and others become JPEG.
  public var encoding: ImageEncoding?
  /// Whether a JPEG file that stays JPEG is encoded again only where faces are hidden, whatever the quality of
  /// ``encoding``. Default true.
  public var keepsBlocks: Bool
  /// The priority. Equal requests share the highest. Default `normal`.
  public var priority: RequestPriority
  /// Whether an ``AssetLoader`` may fetch the image. Default false.
  public var isNetworkAccessAllowed: Bool
  /// The maximum time of the request, waiting included. Nil uses the manager's deadline;
  /// `.seconds(Int64.max)` means none. Default nil.
  public var deadline: Duration?

  /// Creates a request; the defaults blur all faces, and keep the format.
  public init(
    _ asset: ImageAsset, anonymization: Anonymization = Anonymization(), encoding: ImageEncoding? = nil,
    keepsBlocks: Bool = true, priority: RequestPriority = .normal, isNetworkAccessAllowed: Bool = false,
    deadline: Duration? = nil
  ) {
    self.asset = asset
    self.anonymization = anonymization
    self.encoding = encoding
    self.keepsBlocks = keepsBlocks
    self.priority = priority
    self.isNetworkAccessAllowed = isNetworkAccessAllowed
    self.deadline = deadline
  }
}

extension AnonymizationRequest {
  /// Returns the format of the result; nil for a JPEG that keeps its blocks.
  func output(for source: ImageFormat) -> OutputFormat? {
    let output = encoding?.output(for: source) ?? source.usualOutput
    return keepsBlocks && source == .jpeg && output.imageFormat == .jpeg ? nil : output
  }

  /// Throws ``ImageRequestError/image(_:)`` if a number is not finite or out of its range, before the request becomes
  /// a key.
  func check() throws(ImageRequestError) {
    do {
      try anonymization.check()
    } catch {
      throw .image(error)
    }
  }

  /// Returns the demand of the work on an image with this header.
  func demand(of info: ImageInfo) -> DecodeQueue.Demand {
    // The cost is that of a quarter of the image, and the whole image is read.
    DecodeQueue.Demand(
      memory: info.memory(for: anonymization, as: output(for: info.format)),
      isExpensive: 4 * info.cost > DecodeQueue.expensiveCost)
  }
}

/// Everything that determines the response to a request for hidden faces.
struct AnonymizationKey: Hashable, Sendable {
  var asset: AssetVersion
  var anonymization: Anonymization
  var encoding: ImageEncoding?
  var keepsBlocks: Bool

  init(_ request: AnonymizationRequest, _ asset: AssetVersion) {
    self.asset = asset
    anonymization = request.anonymization
    encoding = request.encoding
    keepsBlocks = request.keepsBlocks
  }
}
