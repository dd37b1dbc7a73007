import FaceCrop

extension NoFacePolicy {
  /// Returns a clause that says how an image without the requested face was cropped.
  func outcome(of plan: CropPlan) -> String {
    if let face = plan.possibleFace { return "\(CropWarning.possibleFace(score: face.score))" }
    let lack = plan.faces.isEmpty ? "no face was found" : "the requested face was not found"
    return switch self {
    case .whole: "\(lack); the whole image was used"
    case .center, .maybe: "\(lack); the center of the image was used"
    case .attention: "\(lack); the most striking region was used"
    case .skip, .fail: "\(lack); nothing was written"
    }
  }
}
