/// Whom a crop is for.
public struct FaceSearch: Hashable, Sendable {
  /// Which of the faces found. Default `union`.
  public var faces: FaceSelection
  /// What to do when there is no face to crop to. Default `whole`.
  public var noFace: NoFacePolicy
  /// Faces lower than that are no one's: no crop is for them. Default none.
  public var smallestFace: FaceHeight?
  /// How faces are numbered under ``FaceSelection/each`` and ``FaceSelection/number(_:)``. Default `left`.
  public var order: FaceOrder

  /// By default all faces in one region, and the whole picture without any.
  public init(
    faces: FaceSelection = .union, noFace: NoFacePolicy = .whole, smallestFace: FaceHeight? = nil,
    order: FaceOrder = .left
  ) {
    self.faces = faces
    self.noFace = noFace
    self.smallestFace = smallestFace
    self.order = order
  }

  /// Groups of indices into `faces`, one for each region to make. Empty when there is no such face.
  func groups(of faces: [Face], in picture: PixelSize) -> [[Int]] {
    self.faces.groups(of: faces, order: order) { isLargeEnough($0, in: picture) }
  }

  func isLargeEnough(_ face: Face, in picture: PixelSize) -> Bool {
    face.box.height >= smallestFace?.part(of: picture) ?? 0
  }
}

/// The height of a face box.
public enum FaceHeight: Hashable, Sendable {
  /// In pixels of the picture, at least 1.
  case pixels(Int)
  /// In heights of the picture, above 0 and at most 1.
  case part(Double)

  /// In heights of the picture.
  func part(of picture: PixelSize) -> Double {
    switch self {
    case .pixels(let pixels): Double(pixels) / Double(picture.height)
    case .part(let part): part
    }
  }

  var isValid: Bool {
    switch self {
    case .pixels(let pixels): pixels >= 1
    case .part(let part): part > 0 && part <= 1
    }
  }
}

/// What to do with a picture in which there is no face, or not the one asked for.
public enum NoFacePolicy: String, Hashable, Sendable, CaseIterable {
  /// Take the whole picture, whatever the aspect asked for.
  case whole
  /// Take the largest region around the center that has the aspect asked for, or is square.
  case center
  /// The same, around what draws the eye (X. Hou, L. Zhang, "Saliency Detection: A Spectral Residual Approach", 2007).
  case attention
  /// Take the place of what may be a face, as if it were one, and without it the same as ``center``. ``CropPlan/possibleFace`` says
  /// what it is.
  case maybe
  /// Render nothing: the plan has no crops.
  case skip
  /// Throw ``FaceCropError/noFace``.
  case fail
}
