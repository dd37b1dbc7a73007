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
    if noFace == .fail, plan.crops.isEmpty { throw .noFace(lack(of: plan, remedy: "choose a fallback with --no-face")) }
  }

  /// Returns a clause with the fallback for an image without the requested face. `isStored` tells whether another run
  /// made the plan, perhaps with another fallback, and `writes` whether there would be an output.
  func outcome(of plan: CropPlan, isStored: Bool = false, writes: Bool = true) -> String {
    if let face = plan.possibleFace { return "\(CropWarning.possibleFace(score: face.score))" }
    let nothing = writes ? "; nothing was written" : ""
    if isStored { return lack(of: plan, plan.crops.isEmpty ? nothing : "; the plan's region was used") }
    return switch noFace {
    case .whole: lack(of: plan, "; the whole image was used")
    case .center, .bestGuess: lack(of: plan, "; the center of the image was used")
    case .attention: lack(of: plan, "; the most striking region was used")
    case .skip, .fail: lack(of: plan, nothing)
    }
  }

  /// Returns a clause about an image that is not on a sheet of prints.
  func omission(of plan: CropPlan) -> String { lack(of: plan, ", so the image is not on the sheet") }

  /// Returns a clause with the reason why no face of the plan is the requested one.
  private func lack(of plan: CropPlan, _ result: String = "", remedy: String? = nil) -> String {
    let other = remedy.map { " (\($0))" } ?? ""
    if case .person(let name) = faces {
      return "the metadata name no '\(DisplayText.text(name))'\(result) (facecrop detect lists the names)"
    }
    if faces == .tagged { return "the metadata name nobody\(result)\(other)" }
    guard !plan.faces.isEmpty else { return "no face was found\(result)\(other)" }
    return switch (faces, smallestFace) {
    case (.number(let number), let least?) where number <= plan.faces.count:
      "face number \(number) is less than \(least.words)\(result) (lower --min-face)"
    case (.number(let number), _): "face number \(number) was not found\(result)\(other)"
    case (_, let least?): "no face is at least \(least.words)\(result) (lower --min-face)"
    case (_, nil): "the requested face was not found\(result)\(other)"
    }
  }
}

extension FaceHeight {
  /// The words after "at least" in a sentence.
  fileprivate var words: String {
    switch self {
    case .pixels(let pixels): return "\(pixels) pixels high"
    case .fraction(let fraction):
      let hundredths = Int((fraction * 10_000).rounded())
      let percent = hundredths % 100 == 0 ? "\(hundredths / 100)" : "\(Double(hundredths) / 100)"
      return "\(percent) % as high as the image"
    }
  }
}
