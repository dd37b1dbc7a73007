/// Everything that determines the response to a request.
struct RequestKey: Hashable, Sendable {
  var asset: AssetVersion
  var targetSize: PixelSize
  var contentMode: ContentMode
  /// The options. Those that do not change the response have one value in all keys.
  var options: ImageRequestOptions

  init(_ request: ImageRequest, _ asset: AssetVersion) {
    self.asset = asset
    (targetSize, contentMode, options) = (request.targetSize, request.contentMode, request.options)
    (options.priority, options.isNetworkAccessAllowed, options.deadline) = (.normal, false, nil)
    if options.deliveryMode == .opportunistic { options.deliveryMode = .highQuality }
  }

  /// The key without the file format.
  var withoutEncoding: RequestKey {
    var key = self
    key.options.encoding = nil
    return key
  }
}

extension RequestKey: StableKeyed {
  /// Writes all fields but the asset, of which only the page counts. Each cache identifies the file in its own way.
  func write(to key: inout StableKey) {
    // Without a page, keys are those of versions that had none.
    if let page = asset.page { key.field("page", page) }
    key.field("target", targetSize)
    key.field("mode", contentMode)
    key.field("crop", options.crop)
    key.field("resize", options.resizeMode)
    key.field("fast", options.deliveryMode == .fast)
    key.field("enlarge", options.allowsUpscaling)
    key.field("cut", options.isCutToTarget)
    key.field("version", options.version)
    key.field("color", options.color)
    key.field("encoding", options.encoding)
  }
}

extension ImageCrop: StableKeyed {
  public func write(to key: inout StableKey) {
    switch self {
    case .none: key.append(case: "none")
    case .normalizedCropRect(let rect): key.field("rect", rect)
    case .faces(let request): key.field("faces", request)
    }
  }
}

extension NormalizedRect: StableKeyed {
  public func write(to key: inout StableKey) {
    key.field("x", x)
    key.field("y", y)
    key.field("width", width)
    key.field("height", height)
  }
}

extension ImageEncoding: StableKeyed {
  public func write(to key: inout StableKey) {
    key.field("formats", formats)
    if allowsOtherFormats { key.field("others", true) }
  }
}
