import FaceCrop

/// Faces that stay visible although the options ask to hide them.
struct HidingShortfall {
  static let standardKind = "not-hidden"
  /// An identifier for programs.
  var kind = standardKind
  /// A clause about the image.
  var message: String
}

extension Anonymization {
  /// Returns the faces that stay visible; nil for none. Numbers without a face have a warning of their own. `isGiven` says
  /// that the user has the plan.
  func shortfall(of plan: CropPlan, isGiven: Bool) -> HidingShortfall? {
    guard plan.crops.isEmpty else {
      let hidden = Set(plan.crops.flatMap(\.faces))
      guard !isGiven, case .only(let numbers) = faces else { return nil }
      let small = numbers.filter { $0 <= plan.faces.count && !hidden.contains($0 - 1) }.sorted()
      guard !small.isEmpty else { return nil }
      return HidingShortfall(
        message:
          "faces \(small.map { "\($0)" }.joined(separator: ", ")) are smaller than --min-face and were not hidden (lower --min-face)"
      )
    }
    if isGiven {
      return HidingShortfall(message: "the plan has no crops; nothing was hidden (add a crop for each area)")
    }
    if plan.faces.isEmpty {
      return HidingShortfall(
        kind: FaceCropError.noFace.kind,
        message: "no face was found; nothing was hidden (mark faces by hand in a plan, with --plan-in)")
    }
    if case .except = faces, smallestFace == nil {
      return HidingShortfall(
        message: "all faces are excepted; nothing was hidden (leave out --except to hide them)")
    }
    if smallestFace != nil {
      return HidingShortfall(message: "no face is as high as --min-face; nothing was hidden (lower --min-face)")
    }
    return HidingShortfall(
      message: "no face has these numbers; nothing was hidden (facecrop blur --json prints the numbers)")
  }
}
