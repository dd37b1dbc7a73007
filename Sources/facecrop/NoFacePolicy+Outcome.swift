import FaceCrop

extension NoFacePolicy {
  /// What was done with a picture without the face that was wanted: continues a sentence that begins with the picture.
  ///
  /// - Parameter facesFound: whether it has others.
  func outcome(facesFound: Bool) -> String {
    let lack = facesFound ? "has no such face" : "has no face that could be found"
    return switch self {
    case .whole: "\(lack); the whole picture was taken"
    case .center: "\(lack); its center was taken"
    case .attention: "\(lack); what draws the eye was taken"
    case .skip, .fail: "\(lack); nothing was written"
    }
  }
}
