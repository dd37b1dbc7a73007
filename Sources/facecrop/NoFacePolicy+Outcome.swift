import FaceCrop

extension NoFacePolicy {
  /// What was done with a picture without the face that was wanted: continues a sentence that begins with the picture.
  func outcome(of plan: CropPlan) -> String {
    if let face = plan.possibleFace { return "\(CropWarning.possibleFace(score: face.score))" }
    let lack = plan.faces.isEmpty ? "has no face that could be found" : "has no such face"
    return switch self {
    case .whole: "\(lack); the whole picture was taken"
    case .center, .maybe: "\(lack); its center was taken"
    case .attention: "\(lack); what draws the eye was taken"
    case .skip, .fail: "\(lack); nothing was written"
    }
  }
}
