extension FaceCropper {
  func cutter(
    _ session: any ImageSession, _ request: CropRequest
  ) throws(FaceCropError) -> any LosslessSession {
    let (composition, output) = (request.composition, request.output)
    let refusals = [
      (!output.sizes.isEmpty, "cannot be resized"),
      (composition.layout.template != nil, "cannot be aligned to a template"),
      (composition.alignsEyes, "cannot be rotated"),
      (composition.layout.edge != .shift, "cannot reach outside the image"),
      (output.resolution != nil, "cannot change the resolution"),
      (output.background != nil, "cannot have a new background"),
      (output.shape != .rectangle, "must be a rectangle"),
    ]
    if let (_, refusal) = refusals.first(where: { $0.0 }) { throw .invalidRequest("a lossless crop \(refusal)") }
    guard let session = session as? any LosslessSession else {
      throw .unsupported("a lossless crop needs a JPEG file")
    }
    return session
  }

  /// Cuts all crops of a plan. It calls `give` with each crop but the last. It returns the last one, which no longer
  /// needs the image, and every warning.
  func cut(
    _ plan: CropPlan, _ session: any LosslessSession, _ output: CropOutput, _ job: Job,
    give: (EncodedCrop) throws(FaceCropError) -> Void
  ) throws(FaceCropError) -> (last: EncodedCrop?, warnings: [CropWarning]) {
    guard plan.animationFrame == 0 else { throw .notAnimated(frame: plan.animationFrame) }
    let session = session.losslesslyTurned(by: plan.rotation)
    let header = session.header
    try check(plan, for: header)
    let kept = try KeptMetadata(of: header, by: output.metadata, resolution: nil, sidecar: output.sidecar, job)
    var gainMap = try GainMapRenderer(of: session, by: output.gainMap, job)
    var last: EncodedCrop?
    var warnings: [CropWarning] = []
    var faults = header.faults
    for (index, crop) in plan.crops.enumerated() {
      guard crop.frame == nil, crop.turn == nil else {
        throw .invalidRequest("a lossless crop cannot be rotated or reach outside the image")
      }
      guard output.background(of: crop) == nil else {
        throw .invalidRequest("a lossless crop cannot have a new background")
      }
      let asked = PixelRect(covering: crop.region, in: plan.source)
      guard asked.size.longSide >= output.smallestSide else {
        throw .tooSmall(asked.size, allowedSide: output.smallestSide)
      }
      let cut = try session.losslessCut(
        of: header.orientation.stored(asked, in: header.size),
        progress: ProgressSpan(job: job, phase: .render, index: index, count: plan.crops.count)
      ) { size in
        // With a gain map the packet must describe it, so it is written once the map is known.
        CropMetadata(
          exif: kept.exif(size: size, orientation: header.orientation), xmp: gainMap.isKept(size) ? nil : kept.xmp)
      }
      faults = cut.faults
      let region = header.orientation.displayed(cut.value.rect, in: header.size)
      var bytes = cut.value.bytes
      let map = try gainMap.part(cut.value.rect, output: cut.value.rect.size, isPlain: true, turned: .up)
      if gainMap.isKept(cut.value.rect.size) { bytes = try session.completed(bytes, xmp: kept.xmp, map, job) }
      if region != asked { warnings.append(.grown(requested: asked, actual: region)) }
      let made = EncodedCrop(
        bytes: bytes, format: .jpeg, size: region.size, region: region, faces: crop.faces, crop: index, xmp: kept.xmp,
        path: cut.path, view: CropView(frame: Frame(region)))
      try job.check()
      job.report(.render, index + 1, of: plan.crops.count)
      if index == plan.crops.count - 1 { last = made } else { try give(made) }
    }
    warnings += gainMap.warnings
    if kept.losesCredits { warnings.append(.creditsDropped) }
    return (last, faults.inOrder + warnings)
  }
}
