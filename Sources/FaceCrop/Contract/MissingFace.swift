/// The reason why no face of a plan is the requested one. `description` is a clause in English.
public enum MissingFace: Hashable, Sendable, CustomStringConvertible {
  /// No face was found.
  case noFace
  /// The metadata name nobody like this.
  case person(String)
  /// The metadata name nobody.
  case tagged
  /// No face has this number.
  case number(Int)
  /// The face with this number is lower than the minimum.
  case lowNumber(Int, least: FaceHeight)
  /// All faces are lower than the minimum.
  case low(least: FaceHeight)
  /// The faces are others.
  case others

  public var description: String {
    switch self {
    case .noFace: "no face was found"
    case .person(let name): "the metadata name no '\(name)'"
    case .tagged: "the metadata name nobody"
    case .number(let number): "face number \(number) was not found"
    case .lowNumber(let number, let least): "face number \(number) is less than \(least.words)"
    case .low(let least): "no face is at least \(least.words)"
    case .others: "the requested face was not found"
    }
  }
}

extension FaceSearch {
  /// Returns why no face of a plan is the requested one.
  ///
  /// - Parameter plan: A plan that this search made, whose crops have no face.
  public func missingFace(in plan: CropPlan) -> MissingFace {
    switch (faces, smallestFace) {
    case (.person(let name), _): .person(name)
    case (.tagged, _): .tagged
    case _ where plan.faces.isEmpty: .noFace
    case (.number(let number), let least?) where isLow(number, in: plan): .lowNumber(number, least: least)
    case (.number(let number), _): .number(number)
    case (_, let least?): .low(least: least)
    case (_, nil): .others
    }
  }

  private func isLow(_ number: Int, in plan: CropPlan) -> Bool {
    order.indices(of: plan.faces).dropFirst(number - 1).first.map {
      !isLargeEnough(plan.faces[$0], in: plan.source)
    } ?? false
  }
}

extension NoFacePolicy {
  /// The region that was used without a face, as a clause in English; nil for an image that is not cropped.
  public var fallback: String? {
    switch self {
    case .whole: "the whole image was used"
    case .center, .bestGuess, .person: "the center of the image was used"
    case .attention: "the most striking region was used"
    case .skip, .fail: nil
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
