import FaceCrop

extension CropMaker {
  /// A rule that an output does not keep.
  struct MissedRule: Sendable {
    /// The rule's name.
    var name: String
    var fault: Fault

    /// Nil if the rule is kept, or was not measured.
    init?(_ finding: PhotoCheck.Finding, _ standard: PhotoStandard, _ cause: Cause) {
      guard let miss = finding.miss(of: standard) else { return nil }
      name = finding.rule.name
      fault = Fault("rule", miss, "\(cause.remedy(finding, standard)), or see facecrop check")
    }
  }

  /// The facts that show whether the photo or the options are the cause of a missed rule.
  struct Cause: Sendable {
    var request: CropRequest
    /// Whether the frame is from a plan.
    var isPlanned: Bool
    /// The crop, and the sizes of its image and its output in pixels.
    var crop: CropPlan.Crop
    var source: PixelSize
    var made: PixelSize
    var format: OutputFormat

    fileprivate func remedy(_ finding: PhotoCheck.Finding, _ standard: PhotoStandard) -> Remedy {
      switch finding.rule.name {
      case "eye-distance", "width", "height": larger(finding, standard) ?? "use another photo"
      case "tilt" where !isPlanned && !request.composition.alignsEyes: "pass \(flag: "align")"
      case "file-size": otherBytes(finding)
      case "shape" where isPlanned: "leave out \(option: "plan-in")"
      case "shape": "leave out the options that set the shape"
      case "faces", "sharpness", "turn", "mouth": "use another photo"
      default: placed
      }
    }

    /// The remedy for a head in a wrong place.
    private var placed: Remedy {
      if isPlanned { return "leave out \(option: "plan-in")" }
      // Options that place the head turn the standard off.
      guard case .framing(let framing, let padding, _) = request.composition.layout, framing.standard != nil,
        padding == Padding()
      else { return "leave out \(option: "face-ratio") and \(option: "padding")" }
      // A rotated frame has less room in the image.
      let isRotated = crop.turn.map { abs($0.degrees) <= PhotoStandard.largestTilt } ?? false
      return isRotated ? "try without \(option: "align"), or use another photo" : "use another photo"
    }

    private func otherBytes(_ finding: PhotoCheck.Finding) -> Remedy {
      let isTooLarge = if let value = finding.value, let most = finding.rule.most { value > most } else { false }
      if format.isLossless { return isTooLarge ? "write JPEG" : "choose a larger \(option: "size")" }
      return "choose a \(isTooLarge ? "smaller" : "larger") \(option: "size") or \(option: "quality")"
    }

    /// Returns the option for more pixels, or fewer; nil if the image or the document has none.
    private func larger(_ finding: PhotoCheck.Finding, _ standard: PhotoStandard) -> Remedy? {
      guard let value = finding.value, value > 0 else { return nil }
      let document = standard.document
      if let most = finding.rule.most, value > most { return option(most / value, isUpperBound: true) }
      // The eyes are measured again in the new output, so there is some room.
      let isMeasured = finding.rule.name == "eye-distance"
      guard let least = finding.rule.least else { return nil }
      let factor = least / value * (isMeasured ? 1.02 : 1)
      let needed = (width: Double(made.width) * factor, height: Double(made.height) * factor)
      let own = crop.shown.pixels(in: source)
      guard needed.width <= own.width, needed.height <= own.height else { return nil }
      if let most = document?.mostPixels, needed.width > Double(most.width) || needed.height > Double(most.height) {
        return nil
      }
      return option(factor, isUpperBound: false)
    }

    private func option(_ factor: Double, isUpperBound: Bool) -> Remedy {
      let rule: FloatingPointRoundingRule = isUpperBound ? .down : .up
      if request.output.keepsPrintedSize, let resolution = request.output.resolution {
        return "pass \(option: "dpi", Int((resolution * factor).rounded(rule)))"
      }
      return "pass \(option: "size", Int((Double(made.longSide) * factor).rounded(rule)))"
    }
  }
}

extension OutputFormat {
  /// Whether no quality can be chosen.
  fileprivate var isLossless: Bool { !imageFormat.encoderFeatures.contains(.quality) }
}
