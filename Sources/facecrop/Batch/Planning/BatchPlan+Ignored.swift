import FaceCrop

/// The plans of `--plan-in` whose frames are not those of the options.
extension BatchPlan {
  /// Gives the names of the options `words` to each input whose plan of this run has other frames than the request.
  mutating func noteIgnored(_ words: String, _ request: CropRequest, isLossless: Bool) {
    for index in items.indices where items[index].input.obstacle == nil && items[index].correction == nil {
      guard let plan = items[index].plan else { continue }
      let frames = RequestedFrames(request: request, slack: isLossless ? 17 : 2)
      if !frames.fit(plan, isDetected: items[index].isDetected) { items[index].ignoredOptions = words }
    }
  }
}

/// The frames that a request asks for.
private struct RequestedFrames {
  let request: CropRequest
  /// The largest difference that rounding makes, in pixels. Lossless cuts are rounded to blocks.
  let slack: Double

  /// Returns whether the frames of a plan may be those of the request. An unedited plan has the frames that detection
  /// gave. A person can place any frame, but of the same shape.
  func fit(_ plan: CropPlan, isDetected: Bool) -> Bool {
    if isDetected, let crops = crops(for: plan) {
      return crops.count == plan.crops.count
        && zip(crops, plan.crops).allSatisfy { isNear($0.shown, $1.shown, in: plan.source) }
    }
    guard let aspect = request.composition.layout.aspect else { return true }
    return plan.crops.allSatisfy { crop in
      let (width, height) = crop.shown.pixels(in: plan.source)
      return abs(width - height * aspect.width / aspect.height) <= max(slack, 0.01 * width)
    }
  }

  /// Returns the crops for the faces of a plan; nil if more than the faces decided.
  private func crops(for plan: CropPlan) -> [CropPlan.Crop]? {
    guard !plan.faces.isEmpty, !request.search.needsNames else { return nil }
    return try? CropPlanner().crops(
      for: plan.faces, in: plan.source, chosen: plan.chosen, possibleFace: plan.possibleFace,
      search: request.search.withoutFailure, composition: request.composition)
  }

  private func isNear(_ first: NormalizedRect, _ second: NormalizedRect, in size: PixelSize) -> Bool {
    let (width, height) = (Double(size.width), Double(size.height))
    return abs(first.x - second.x) * width <= slack && abs(first.maxX - second.maxX) * width <= slack
      && abs(first.y - second.y) * height <= slack && abs(first.maxY - second.maxY) * height <= slack
  }
}
