extension FaceCropper {
  /// Both phases for JPEG pictures, without decoding a pixel in the second: the region, grown to the borders of iMCUs, is cut
  /// out of the file. Nothing is lost, as by another JPEG encoding, and nothing else is changed: the request's colors are
  /// not looked at, and the orientation stays a tag.
  ///
  /// - Throws: Any ``FaceCropError``; ``FaceCropError/unsupported(_:)`` if the picture is no JPEG file, or one of the few that
  ///   cannot be cut so; ``FaceCropError/invalidRequest(_:)`` if the request asks for sizes, for level eyes, for fill outside of
  ///   the picture or for a circle.
  public func cropLosslessly(
    _ source: ImageSource, request: CropRequest = CropRequest(), progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> LosslessResult {
    try await run(source, request, progress: progress) { (session, job) throws(FaceCropError) in
      let session = try cutter(session, request)
      let detection = try look(session, request, job)
      var result = try cut(decide(detection, request), session, request, job)
      result.lookPath = detection.path
      result.warnings += detector.warnings
      return result
    }
  }

  /// The second phase alone, for a plan that was made before.
  ///
  /// - Throws: As ``cropLosslessly(_:request:progress:)``, and ``FaceCropError/planMismatch(plan:picture:)``.
  public func renderLosslessly(
    _ plan: CropPlan, from source: ImageSource, request: CropRequest = CropRequest(),
    progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> LosslessResult {
    try await run(source, request, progress: progress) { (session, job) throws(FaceCropError) in
      try cut(plan, cutter(session, request), request, job)
    }
  }

  private func cutter(
    _ session: any ImageSession, _ request: CropRequest
  ) throws(FaceCropError) -> any LosslessSession {
    guard request.sizes.isEmpty else { throw .invalidRequest("a lossless crop has the region's size, and no other") }
    guard !request.levelsEyes else { throw .invalidRequest("a lossless crop is not turned") }
    guard request.edge == .shift else { throw .invalidRequest("a lossless crop has nothing outside of the picture") }
    guard request.shape == .rectangle else { throw .invalidRequest("a lossless crop is a rectangle") }
    guard let session = session as? any LosslessSession else {
      throw .unsupported("lossless crops are made of JPEG files alone")
    }
    return session
  }

  private func cut(
    _ plan: CropPlan, _ session: any LosslessSession, _ request: CropRequest, _ job: Job
  ) throws(FaceCropError) -> LosslessResult {
    let header = session.header
    try check(plan, for: header)
    let exif = header.exif.flatMap(EXIF.init)
    var crops: [LosslessCrop] = []
    var warnings: [CropWarning] = []
    for (index, crop) in plan.crops.enumerated() {
      guard crop.frame == nil, crop.turn == nil else {
        throw .invalidRequest("a lossless crop is not turned, and has nothing outside of the picture")
      }
      let asked = PixelRect(covering: crop.region, in: plan.source)
      let (bytes, rect) = try session.losslessCut(
        of: header.orientation.stored(asked, in: header.size), part: (index, plan.crops.count)
      ) { size in
        exif?.kept(by: request.metadata, size: size, orientation: header.orientation)
      }
      let region = header.orientation.displayed(rect, in: header.size)
      if region != asked { warnings.append(.grown(asked: asked, made: region)) }
      crops.append(
        LosslessCrop(bytes: bytes, region: region, asked: asked, faces: crop.faces, path: session.lastPath))
      try job.check()
    }
    return LosslessResult(plan: plan, crops: crops, warnings: session.sortedWarnings + warnings)
  }
}
