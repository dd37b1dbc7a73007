/// Whom a crop is for.
public struct FaceSearch: Hashable, Sendable {
  /// Which of the faces found. Default `union`.
  public var faces: FaceSelection
  /// What to do when there is no face to crop to. Default `whole`.
  public var noFace: NoFacePolicy

  /// By default all faces in one region, and the whole picture without any.
  public init(faces: FaceSelection = .union, noFace: NoFacePolicy = .whole) {
    self.faces = faces
    self.noFace = noFace
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
  /// Render nothing: the plan has no crops.
  case skip
  /// Throw ``FaceCropError/noFace``.
  case fail
}
