/// Everything that determines the response to a request.
struct RequestKey: Hashable, Sendable {
  var asset: AssetVersion
  var targetSize: PixelSize
  var contentMode: ContentMode
  var crop: ImageCrop
  var resizeMode: ResizeMode
  var isFast: Bool
  var allowsUpscaling: Bool
  var isCutToTarget: Bool
  var version: ImageVersion
  var color: ColorPolicy
  var encoding: ImageEncoding?

  init(_ request: ImageRequest, _ asset: AssetVersion) {
    let options = request.options
    self.asset = asset
    targetSize = request.targetSize
    contentMode = request.contentMode
    crop = options.crop
    resizeMode = options.resizeMode
    isFast = options.deliveryMode == .fast
    allowsUpscaling = options.allowsUpscaling
    isCutToTarget = options.isCutToTarget
    version = options.version
    color = options.color
    encoding = options.encoding
  }

  /// The key without the file format.
  var withoutEncoding: RequestKey {
    var key = self
    key.encoding = nil
    return key
  }
}

extension RequestKey: StableKeyed {
  /// Writes all fields but the asset, which each cache identifies in its own way.
  func write(to key: inout StableKey) {
    key.field("target", targetSize)
    key.field("mode", contentMode)
    key.field("crop", crop)
    key.field("resize", resizeMode)
    key.field("fast", isFast)
    key.field("enlarge", allowsUpscaling)
    key.field("cut", isCutToTarget)
    key.field("version", version)
    key.field("color", color)
    key.field("encoding", encoding)
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
