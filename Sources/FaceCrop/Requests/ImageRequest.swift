/// What is wanted of an asset: which part, how large, how soon.
public struct ImageRequest: Hashable, Sendable {
  /// The picture that is wanted.
  public var asset: ImageAsset
  /// The size in pixels; ``PixelSize/maximum`` for the part's own resolution. Nothing is enlarged, unless
  /// ``ImageRequestOptions/isEnlargingAllowed``; no side has more than 65,535 pixels then.
  public var targetSize: PixelSize
  /// How picture and target come together where they differ in shape.
  public var contentMode: ContentMode
  /// Which part, how, how soon.
  public var options: ImageRequestOptions

  /// Asks by default for all of the picture, at its own resolution.
  public init(
    _ asset: ImageAsset, targetSize: PixelSize = .maximum, contentMode: ContentMode = .aspectFit,
    options: ImageRequestOptions = ImageRequestOptions()
  ) {
    self.asset = asset
    self.targetSize = targetSize
    self.contentMode = contentMode
    self.options = options
  }
}

/// How a picture and a target of another shape come together; the picture keeps its own.
public enum ContentMode: Hashable, Sendable {
  /// The picture lies in the target.
  case aspectFit
  /// The picture covers the target.
  case aspectFill
}

extension PixelSize {
  /// Asks for all pixels that there are.
  public static let maximum = PixelSize(width: .max, height: .max)
}

/// Which part of a picture, how, and how soon.
public struct ImageRequestOptions: Hashable, Sendable {
  /// Which part of the picture. Default all of it.
  public var crop: ImageCrop
  /// Default `opportunistic`.
  public var deliveryMode: DeliveryMode
  /// Default `exact`.
  public var resizeMode: ResizeMode
  /// Default `current`.
  public var version: ImageVersion
  /// Whether a part with fewer pixels than the target size is enlarged to it. Default false.
  public var isEnlargingAllowed: Bool
  /// Whether the pixels that an image has beyond the target size under ``ContentMode/aspectFill`` are cut off, as many on both sides.
  /// Default false.
  public var isCutToTarget: Bool
  /// Default `srgb`.
  public var color: ColorPolicy
  /// The file that the response also is, in ``ImageResponse/file``, encoded within the same limits of memory and time as the decode. Default
  /// none.
  public var encoding: ImageEncoding?
  /// Default `normal`. Equal requests share the highest.
  public var priority: RequestPriority
  /// Whether an ``AssetLoader`` may be asked. Default false.
  public var isNetworkAccessAllowed: Bool
  /// How long the request may take in all, waiting included; nil leaves it to the manager. Default nil.
  public var deadline: Duration?

  /// By default all of the picture, a small one first where that is sooner.
  public init(
    crop: ImageCrop = .none, deliveryMode: DeliveryMode = .opportunistic, resizeMode: ResizeMode = .exact,
    isEnlargingAllowed: Bool = false, isCutToTarget: Bool = false, version: ImageVersion = .current,
    color: ColorPolicy = .srgb, encoding: ImageEncoding? = nil, priority: RequestPriority = .normal,
    isNetworkAccessAllowed: Bool = false, deadline: Duration? = nil
  ) {
    self.crop = crop
    self.deliveryMode = deliveryMode
    self.resizeMode = resizeMode
    self.isEnlargingAllowed = isEnlargingAllowed
    self.isCutToTarget = isCutToTarget
    self.version = version
    self.color = color
    self.encoding = encoding
    self.priority = priority
    self.isNetworkAccessAllowed = isNetworkAccessAllowed
    self.deadline = deadline
  }
}

/// The part of a picture that is wanted.
public enum ImageCrop: Hashable, Sendable {
  /// All of it.
  case none
  /// A part in displayed space (``ImageVersion/original``: as stored), origin top-left.
  case normalizedCropRect(NormalizedRect)
  /// Around faces, found by a first, small look, which is kept. Of the request's output, shape and fill count; sizes
  /// and colors are the image request's. Where it makes several crops, the first is taken.
  case faces(CropRequest)

  /// Around one or all faces of the picture, framed.
  ///
  /// - Parameters:
  ///   - framing: How the head is placed; nil takes the face boxes and a margin of 0.3 of them.
  ///   - selection: Which faces. Default the largest.
  ///   - noFace: Default a square around the middle.
  public static func faces(
    framing: Framing?, selection: FaceSelection = .largest, noFace: NoFacePolicy = .center
  ) -> ImageCrop {
    .faces(
      CropRequest(
        search: FaceSearch(faces: selection, noFace: noFace),
        composition: Composition(
          framing: framing, padding: framing == nil ? Padding(0.3) : Padding(), aspect: .square)))
  }
}

/// Whether a small picture will do, before or instead of the one asked for.
public enum DeliveryMode: Hashable, Sendable {
  /// A small picture first, where that is sooner, then the one asked for. Where one answer is awaited, that is the last.
  case opportunistic
  /// Only the one asked for.
  case highQuality
  /// Only one, as soon as possible: the file's embedded preview, if it is large enough and has the picture's shape, else the
  /// picture as the codec decodes it next above the target size.
  case fast
}

/// How exactly the target size is met.
public enum ResizeMode: Hashable, Sendable {
  /// The part at its own resolution.
  case none
  /// The part in the size that the codec decodes next above the target size: the least work.
  case fast
  /// Resampled to the target size.
  case exact
}

/// Whether what the file says of its orientation is applied.
public enum ImageVersion: Hashable, Sendable {
  /// Turned for display.
  case current
  /// The pixels as they are stored.
  case original

  /// Nothing is adjusted here but the orientation.
  public static let unadjusted = ImageVersion.original
}

/// Which of the waiting requests comes next.
public enum RequestPriority: Int, Hashable, Sendable, Comparable {
  /// What may be wanted later.
  case low
  /// What is asked for.
  case normal
  /// What someone waits for.
  case high

  public static func < (one: RequestPriority, other: RequestPriority) -> Bool { one.rawValue < other.rawValue }
}
