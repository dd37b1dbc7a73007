/// The selection of faces, and the fallback without a face.
public struct FaceSearch: Hashable, Sendable {
  /// The faces to crop to. Default `union`.
  public var faces: FaceSelection
  /// The fallback if there is no face to crop to. Default `whole`.
  public var noFace: NoFacePolicy
  /// The minimum height of a face. Crops ignore lower faces. Default none.
  public var smallestFace: FaceHeight?
  /// The maximum number of faces: crops ignore all but the largest ones. Nil for no maximum. Default nil.
  public var mostFaces: Int?
  /// The numbering of faces for ``FaceSelection/each`` and ``FaceSelection/number(_:)``. Default `left`.
  public var order: FaceOrder
  /// The names of people in files beside the image, for ``FaceSelection/person(_:)`` and ``FaceSelection/tagged``.
  /// Default none.
  public var regions: RegionSources
  /// Whether the image is rotated by quarter turns until the faces are upright. Default `off`.
  public var upright: UprightPolicy
  /// The frames of an animation that are searched. Default `first`.
  public var animation: AnimationPolicy
  /// Whether all faces are found even if only the largest is cropped, so that their numbers are known. Default false.
  public var findsAllFaces: Bool
  /// Whether the faces with regions get exact landmarks and ``Face/mesh``, if the detector has them. Default false.
  public var findsMeshes = false
  /// Whether meshes, and the sharpness of faces with regions, are measured in a larger image, to compare photos. Default
  /// false.
  package var measuresFinely = false

  /// Creates a search; the defaults give all faces in one region, and the whole image without a face.
  public init(
    faces: FaceSelection = .union, noFace: NoFacePolicy = .whole, smallestFace: FaceHeight? = nil,
    order: FaceOrder = .left, regions: RegionSources = RegionSources(), upright: UprightPolicy = .off,
    animation: AnimationPolicy = .first, findsAllFaces: Bool = false
  ) {
    self.faces = faces
    self.noFace = noFace
    self.smallestFace = smallestFace
    self.order = order
    self.regions = regions
    self.upright = upright
    self.animation = animation
    self.findsAllFaces = findsAllFaces
  }

  /// The same search for all faces.
  var findingAllFaces: FaceSearch {
    var search = self
    search.findsAllFaces = true
    return search
  }

  /// Whether the names of people decide.
  package var needsNames: Bool { faces.needsNames }

  /// Whether the search may not end once the largest face is certain.
  var needsAllFaces: Bool { findsAllFaces || !faces.takesCertainFace }

  /// Returns groups of indices into `faces`, one for each region. Empty if no face qualifies.
  func groups(of faces: [Face], in picture: PixelSize, chosen: Int?) -> [[Int]] {
    let largest = mostFaces.map { Set(FaceOrder.size.indices(of: faces).prefix($0)) }
    return self.faces.groups(of: faces, order: order, chosen: chosen) {
      isLargeEnough(faces[$0], in: picture) && largest?.contains($0) != false
    }
  }

  func isLargeEnough(_ face: Face, in picture: PixelSize) -> Bool {
    face.box.height >= smallestFace?.fraction(of: picture) ?? 0
  }
}

/// The height of a face box.
public enum FaceHeight: Hashable, Sendable {
  /// In pixels of the image, 1 or more.
  case pixels(Int)
  /// In fractions of the image's height, above 0 and up to 1.
  case fraction(Double)

  /// Parses a height as command and server write it: `80` pixels, or `5%` of the image's height. Nil for other texts,
  /// and for numbers out of range.
  public init?(_ text: String) {
    let percent = text.hasSuffix("%") ? Double(text.dropLast()) : nil
    let height = percent.map { FaceHeight.fraction($0 / 100) } ?? Int(text).map { .pixels($0) }
    guard let height, height.isValid else { return nil }
    self = height
  }

  /// Returns the height in fractions of the image's height.
  func fraction(of picture: PixelSize) -> Double {
    switch self {
    case .pixels(let pixels): Double(pixels) / Double(picture.height)
    case .fraction(let fraction): fraction
    }
  }

  var isValid: Bool {
    switch self {
    case .pixels(let pixels): pixels >= 1
    case .fraction(let fraction): fraction > 0 && fraction <= 1
    }
  }
}

/// The fallback for an image without a face, or without the requested one.
public enum NoFacePolicy: String, Hashable, Sendable, CaseIterable, StableKeyed {
  /// Uses the whole image, and ignores the aspect.
  case whole
  /// Uses the largest centered region with the requested aspect, or a square.
  case center
  /// Uses a region like ``center``, around the salient area (X. Hou, L. Zhang, "Saliency Detection: A Spectral Residual
  /// Approach", 2007).
  case attention
  /// Uses the best candidate below the detector's threshold like a face, and without one falls back to ``center``. The
  /// candidate is ``CropPlan/possibleFace``.
  case bestGuess = "maybe"
  /// Like ``bestGuess``, and without a candidate uses the head of a person whose face is not visible or lies sideways. A
  /// head also precedes a face that is tiny and out of focus, if it is five times as high.
  case person
  /// Renders nothing: the plan has no crops.
  case skip
  /// Throws ``FaceCropError/noFace``.
  case fail

  /// Whether ``CropPlan/possibleFace`` can be used.
  var takesPossibleFaces: Bool { self == .bestGuess || self == .person }
}
