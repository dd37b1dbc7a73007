/// The faces to hide in a whole image, and the way to hide them; see
/// ``FaceCropper/blur(_:request:plan:as:progress:)``.
public struct BlurRequest: Hashable, Sendable {
  /// The new content of hidden areas. Default `blur`.
  public var mode: BlurMode
  /// The picture of ``BlurMode/image``; nil in every other mode. Default nil.
  public var image: BlurImage?
  /// The shape of hidden areas. Default `ellipse`.
  public var shape: BlurShape
  /// The distance by which an area reaches over the head on every side, in heights of the face box, 0…2. Default 0.3.
  public var margin: Double
  /// The faces to hide. Default all.
  public var faces: HiddenFaces
  /// The number of people in a list of names. If set, ``faces`` counts the detected ones from left to right, and
  /// ``smallestFace`` does not count. A detection of more or fewer faces throws. Default nil.
  public var people: Int?
  /// The minimum height of a face; nil for no bound. Default nil.
  public var smallestFace: FaceHeight?
  /// The metadata to copy. Default `keep`. Embedded images, such as thumbnails, and the names of people are never copied.
  public var metadata: MetadataPolicy
  /// The XMP packet beside the image, whose fields replace the image's; see ``CropOutput/sidecar``. Default nil.
  public var sidecar: [UInt8]?
  /// Whether ``MetadataPolicy/keep`` includes the GPS position. Default false.
  public var keepsLocation: Bool
  /// Whether to accept a damaged or truncated image, with a ``CropWarning``. Default false.
  public var allowsDamage: Bool

  /// The default of ``margin``. With less, hair and shoulders around a smooth ellipse still look like a face to some
  /// detectors.
  public static let defaultMargin = 0.3

  /// Creates a request; the defaults blur all faces.
  public init(
    mode: BlurMode = .blur, shape: BlurShape = .ellipse, margin: Double = defaultMargin, faces: HiddenFaces = .all,
    smallestFace: FaceHeight? = nil, metadata: MetadataPolicy = .keep, keepsLocation: Bool = false,
    allowsDamage: Bool = false, sidecar: [UInt8]? = nil, people: Int? = nil, image: BlurImage? = nil
  ) {
    (self.mode, self.image, self.shape, self.margin) = (mode, image, shape, margin)
    (self.faces, self.people, self.smallestFace) = (faces, people, smallestFace)
    (self.metadata, self.sidecar, self.keepsLocation) = (metadata, sidecar, keepsLocation)
    self.allowsDamage = allowsDamage
  }

  /// Throws ``FaceCropError/invalidRequest(_:)`` if a number is out of its range, or the image does not go with the mode.
  func check() throws(FaceCropError) {
    try InvalidRequest.check(
      (mode == .image) == (image != nil), "image", mustBe: "set for the mode image, and nil for others")
    try InvalidRequest.check(margin >= 0 && margin <= 2, "margin", mustBe: "0 to 2", not: "\(margin)")
    try InvalidRequest.check(smallestFace?.isValid != false, "smallestFace", mustBe: FaceHeight.bound)
    try CropOutput.check(sidecar, "sidecar")
    if let number = faces.numbers.min() { try FaceSearch.check(number) }
  }
}

/// The new content of a hidden area.
///
/// ``blur`` and ``pixelate`` keep only the means of cells. Their side follows the face's size: it is 1/2.5 of the
/// area's longer side for ``blur``, and 1/4 for ``pixelate``. A face box is then one to three cells high, at any size.
/// The means are rounded, and noise is added. Nothing finer remains in the file, so deconvolution has nothing to
/// restore. A blur whose strength does not follow the face's size can be undone.
///
/// People name familiar faces from 7 × 10 cells (P. Sinha et al., "Face Recognition by Humans: Nineteen Results All
/// Computer Vision Researchers Should Know About", Proceedings of the IEEE 94, 2006). Below 18 cells across, they
/// confuse strangers (T. Bachmann, European Journal of Cognitive Psychology 3, 1991). Networks that were trained on a
/// few known people recognize them in larger mosaics (R. McPherson, R. Shokri, V. Shmatikov, "Defeating Image
/// Obfuscation with Deep Learning", 2016). Noise and fewer levels oppose them (L. Fan, "Image Pixelization with
/// Differential Privacy", 2018). Only ``solid`` and ``image`` leave no information.
public enum BlurMode: String, Hashable, Sendable, CaseIterable, StableKeyed {
  /// The cells, joined smoothly.
  case blur
  /// The cells as squares.
  case pixelate
  /// Black.
  case solid
  /// The picture ``BlurRequest/image``. It covers the whole area, and rotates with the eyes.
  case image
}

/// The shape of a hidden area.
public enum BlurShape: String, Hashable, Sendable, CaseIterable, StableKeyed {
  /// An ellipse over the head, without much of its hair.
  case ellipse
  /// The rectangle around that ellipse.
  case box
  /// The outline of head and hair, together with the ellipse.
  case head
}

/// A selection of faces by their numbers: their indexes in ``CropPlan/faces`` plus 1. `facecrop detect` prints faces in
/// the same order.
public enum HiddenFaces: Hashable, Sendable {
  /// All faces.
  case all
  /// The faces with these numbers.
  case only(Set<Int>)
  /// All faces but those with these numbers.
  case except(Set<Int>)

  /// Returns whether a face with this number is hidden.
  func contains(_ number: Int) -> Bool {
    switch self {
    case .all: true
    case .only(let numbers): numbers.contains(number)
    case .except(let numbers): !numbers.contains(number)
    }
  }

  /// The numbers that the caller named.
  var numbers: Set<Int> {
    switch self {
    case .all: []
    case .only(let numbers), .except(let numbers): numbers
    }
  }
}
