import FaceCrop

extension FaceSearch {
  /// The search with `skip` instead of `fail`, so that an image without a face also gets a plan.
  var withoutFailure: FaceSearch {
    var search = self
    if noFace == .fail { search.noFace = .skip }
    return search
  }

  /// Throws the missing face of a plan made with ``withoutFailure``, if the search requires one.
  func check(_ plan: CropPlan) throws(Outcome.Obstacle) {
    guard noFace == .fail, plan.crops.isEmpty else { return }
    throw .noFace(lack(of: plan, remedy: "choose a fallback with \(option: "no-face")"))
  }

  /// Returns the fallback for an image without the requested face. `isStored` tells whether another run made the plan,
  /// perhaps with another fallback, and `writes` whether there would be an output.
  func outcome(of plan: CropPlan, isStored: Bool = false, writes: Bool = true) -> Fault {
    if let warning = plan.possibleFaceWarning { return Fault(FaceCropError.noFace.kind, "\(warning)") }
    let nothing = writes ? "; nothing was written" : ""
    if isStored { return lack(of: plan, plan.crops.isEmpty ? nothing : "; the plan's region was used") }
    return lack(of: plan, noFace.fallback.map { "; \($0)" } ?? nothing)
  }

  /// Returns the reason why an image is not on a sheet of prints.
  func omission(of plan: CropPlan) -> Fault { lack(of: plan, ", so the image is not on the sheet") }

  /// Returns the reason why no face of the plan is the requested one.
  private func lack(of plan: CropPlan, _ result: String = "", remedy: Remedy? = nil) -> Fault {
    let missing = missingFace(in: plan)
    let own: Remedy? =
      switch missing {
      case .person: "facecrop detect lists the names"
      case .lowNumber, .low: "lower \(option: "min-face")"
      case .number where mostFaces != nil: "raise \(option: "max-faces")"
      default: nil
      }
    return Fault(FaceCropError.noFace.kind, DisplayText.text("\(missing)") + result, own ?? remedy)
  }
}
