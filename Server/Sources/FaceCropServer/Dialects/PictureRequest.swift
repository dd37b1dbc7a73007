import FaceCrop

/// A requested output in any dialect. Equal requests have equal responses.
struct PictureRequest: Hashable, Sendable {
  /// The crop region.
  enum Part: Hashable, Sendable {
    /// The whole image, fitted into the size. `covers` fills the size; `turns` swaps its sides to match the image.
    case whole(covers: Bool, turns: Bool = false)
    /// The largest region with the size's shape, placed by the faces.
    case smart
    /// The largest region with the size's shape at a position: 0 is left or top, 0.5 the middle, 1 right or bottom.
    case aligned(horizontal: Double, vertical: Double)
    /// A crop around faces.
    case faces(CropRequest)
  }

  /// A rectangle in pixels of the displayed image. The part outside of the image is ignored.
  struct Corners: Hashable, Sendable {
    var left: Int
    var top: Int
    var right: Int
    var bottom: Int
  }

  enum Format: Hashable, Sendable {
    /// The best format that the client accepts.
    case accepted
    /// The source's format if the server can write it, else JPEG.
    case own
    case named(ImageFormat)
  }

  var source: String
  /// The page of a TIFF; nil for the first that is no reduced image.
  var page: Int?
  /// The rectangle to treat as the image; nil for the whole image.
  var corners: Corners?
  var part: Part
  /// The faces to hide in the whole image, which is then neither cropped nor resized; nil for a crop.
  var blur: BlurRequest?
  /// The size in pixels; nil derives a side from the other side and the shape.
  var width: Int?
  var height: Int?
  var allowsUpscaling = false
  /// Whether a crop around faces is cut to the size's shape. Otherwise it has its own shape and fits into the size.
  var isExact = false
  var format = Format.own
  var quality: Int?
  /// Whether the response is JSON with the image's size, the faces, and the region or the hidden ones.
  var isMeta = false

  /// The crop around faces; nil for other parts.
  private var crop: CropRequest? { if case .faces(let crop) = part { crop } else { nil } }

  /// Whether the response, or the one that JSON is about, has all frames of an animation.
  var keepsFrames: Bool { crop?.search.animation == .keep }

  /// The option that needs transparency; nil for none.
  var transparentOption: String? {
    guard let output = crop?.output, output.isTransparent else { return nil }
    return output.shape == .circle ? "shape=circle" : "bg=transparent"
  }

  /// The document whose rules the crop must keep; nil for none.
  var standard: PhotoStandard? { crop?.composition.layout.framing?.standard }

  /// Whether a file is made. JSON needs it for warnings about all frames, about a document's rules, and about hidden
  /// faces.
  var needsFile: Bool { !isMeta || blur != nil || keepsFrames || standard != nil }

  /// Returns the request for a screen with `ratio` pixels for each CSS pixel, as far as both sides stay within `most`.
  func scaled(by ratio: Double, within most: Int) -> PictureRequest {
    let ratio = min(ratio, Double(most) / Double(max(width ?? 1, height ?? 1)))
    func side(_ side: Int) -> Int { max(Int((Double(side) * ratio).rounded()), 1) }
    var scaled = self
    (scaled.width, scaled.height) = (width.map(side), height.map(side))
    return scaled
  }
}

/// The request of a URL, and the key that signed it.
struct SignedRequest: Sendable {
  var picture: PictureRequest
  /// The key that signed the URL; nil if no signature is needed.
  var signer: Signature.Signer?
  /// The expiry of the URL, in seconds since 1970; nil for never.
  var end: Int?
  /// Whether the URL has the ratio of a screen's pixels, so that the client's does not count.
  var hasRatio = false
}
