/// A request for an image or crop.
public struct ImageRequest: Hashable, Sendable {
  /// The requested image.
  public var asset: ImageAsset
  /// The size in pixels. ``PixelSize/maximum`` keeps the region's own resolution, and is the default.
  ///
  /// Nothing is enlarged without ``ImageRequestOptions/allowsUpscaling``, which allows up to 65,535 pixels a side. The
  /// output of a region with fewer pixels is smaller, with the warning ``CropWarning/smaller(requested:actual:)``. A
  /// target that requests a longer side above 65,535 pixels is only an upper bound, without this warning.
  public var targetSize: PixelSize
  /// The fit between image and target. Default `aspectFit`.
  public var contentMode: ContentMode
  /// The crop, quality, and priority. Default `ImageRequestOptions()`.
  public var options: ImageRequestOptions

  /// Creates a request; the defaults give the whole image at its own resolution.
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

/// The fit between an image and a target of another shape. The image keeps its aspect ratio.
public enum ContentMode: String, Hashable, Sendable, StableKeyed {
  /// Fits the image into the target.
  case aspectFit = "fit"
  /// Covers the target with the image.
  case aspectFill = "fill"
}

extension PixelSize {
  /// A target size that keeps all pixels.
  public static let maximum = PixelSize(width: .max, height: .max)
}

/// The options of a request.
public struct ImageRequestOptions: Hashable, Sendable {
  /// The crop. Default `none`, the whole image.
  public var crop = ImageCrop.none
  /// The delivery of previews. Default `opportunistic`.
  public var deliveryMode = DeliveryMode.opportunistic
  /// The exactness of the size. Default `exact`.
  public var resizeMode = ResizeMode.exact
  /// The orientation. Default `current`.
  public var version = ImageVersion.current
  /// Whether to enlarge a region that is smaller than the target. Default false.
  public var allowsUpscaling = false
  /// Whether to cut the crop to the target's shape under ``ContentMode/aspectFill``, around its faces or else its
  /// center, as ``OutputSize/exact(width:height:)`` does. The image then has exactly the target's size, or without
  /// enlarging the largest size of this shape. Under ``ResizeMode/none`` and ``ResizeMode/fast``, it has only the shape.
  /// A template's output is never cut, and neither is any for a target with a side above 65,535. Default false.
  public var isCutToTarget = false
  /// The color space. Default `srgb`.
  public var color = ColorPolicy.srgb
  /// The format of ``ImageResponse/file``, encoded within the same memory and time limits as the decode. Default nil,
  /// which encodes nothing. Under ``AnimationPolicy/keep``, the file of an animation has all frames, in the first of the
  /// encoding's formats that can have them.
  public var encoding: ImageEncoding?
  /// The priority. Equal requests share the highest. Default `normal`.
  public var priority = RequestPriority.normal
  /// Whether an ``AssetLoader`` may fetch the image. Default false.
  public var isNetworkAccessAllowed = false
  /// The maximum time of the request, waiting included. Nil uses the manager's deadline;
  /// `.seconds(Int64.max)` means none. Default nil.
  public var deadline: Duration?

  /// Creates options; the defaults give the whole image, and a smaller one first if it is ready sooner.
  public init() {}
}

/// The requested region of an image.
public enum ImageCrop: Hashable, Sendable {
  /// The whole image.
  case none
  /// A rectangle in the image as displayed (as stored for ``ImageVersion/original``), with the origin at the top left.
  case normalizedCropRect(NormalizedRect)
  /// A region around faces, from a detection pass that is cached. Size and colors come from the image request; shape,
  /// fill and background from the crop request. Only the first of several crops is used.
  case faces(CropRequest)

  /// Returns a square crop around one or all faces. For other crops, use ``faces(_:)`` with ``Preset/request``.
  ///
  /// The crop is square for every framing, and the target size decides the shape of the response only if the request
  /// cuts to it (``ImageRequestOptions/isCutToTarget``). For a portrait of 4:5, pass `.faces(Preset.portrait.request)`.
  ///
  /// - Parameters:
  ///   - framing: The placement of the head. Nil frames the whole heads, like ``Preset/crop``.
  ///   - selection: The faces. Default the largest, like ``Preset/avatar``.
  ///   - noFace: The fallback without a face. Default a possible face, like ``Preset/avatar``.
  public static func faces(
    framing: Framing?, selection: FaceSelection = Preset.avatar.search.faces,
    noFace: NoFacePolicy = Preset.avatar.search.noFace
  ) -> ImageCrop {
    var composition = framing.map { Composition(.framing($0)) } ?? Preset.crop.composition
    composition.layout.aspect = .square
    return .faces(CropRequest(search: FaceSearch(faces: selection, noFace: noFace), composition: composition))
  }
}

/// The delivery of smaller images before or instead of the requested one.
public enum DeliveryMode: Hashable, Sendable {
  /// Delivers a preview first, smaller or less detailed, if it is ready sooner. Both have the new background, if the
  /// crop has one. Calls with one result return only the last.
  case opportunistic
  /// Delivers only the requested image.
  case highQuality
  /// Delivers one image as soon as possible. It is the embedded preview if it is large enough and has the image's
  /// shape, else the next larger size that the codec can decode.
  case fast
}

/// The exactness of the output's size.
public enum ResizeMode: String, Hashable, Sendable, StableKeyed {
  /// Keeps the region's own resolution.
  case none
  /// Uses the next larger size that the codec can decode, which is cheapest. With a new background, it is `exact`.
  case fast
  /// Resamples to the target size.
  case exact
}

/// The treatment of the orientation.
public enum ImageVersion: String, Hashable, Sendable, StableKeyed {
  /// The image rotated for display.
  case current
  /// The pixels as stored. ``FaceSearch/upright`` has no effect.
  case original

  /// The same as ``original``, because facecrop adjusts nothing but the orientation.
  public static let unadjusted = ImageVersion.original
}

/// The priority of a waiting request.
public enum RequestPriority: Int, Hashable, Sendable, Comparable {
  /// For images that may be needed later.
  case low
  /// For requested images.
  case normal
  /// For images that a person waits for.
  case high

  public static func < (one: RequestPriority, other: RequestPriority) -> Bool { one.rawValue < other.rawValue }
}
