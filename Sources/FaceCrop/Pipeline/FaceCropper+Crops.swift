extension FaceCropper {
  /// Detects faces and renders the crops one by one. Use it for many or large crops.
  ///
  /// - Parameters:
  ///   - source: The image.
  ///   - plan: A plan to render without a detection pass. Default nil, which makes one.
  ///   - request: The request, as for ``crop(_:request:progress:)``. With a plan, only `output` and `allowsDamage`
  ///     count.
  ///   - progress: Called on the working thread.
  public func crops(
    of source: ImageSource, plan: CropPlan? = nil, request: CropRequest = CropRequest(),
    progress: (@Sendable (CropProgress) -> Void)? = nil
  ) -> CropSequence<RenderedCrop> {
    steps(source, plan == nil ? [.overview, .detect, .render] : [], request, progress) {
      (session, job, give) throws(FaceCropError) in
      let planned = try planned(plan, session, request, job, give)
      let (last, warnings) = try render(planned.plan, session, request.output, job) {
        (crop) throws(FaceCropError) in try give(.crop(crop))
      }
      return (last, warnings + planned.warnings)
    }
  }

  /// Detects faces and cuts the crops out of a JPEG file one by one, without re-encoding. Each region grows to the
  /// nearest iMCU borders.
  ///
  /// The crop has no generation loss. Colors stay as they are, and the orientation stays a tag. A gain map is cropped and
  /// encoded again with quality 95, because its blocks lie elsewhere.
  ///
  /// - Parameters:
  ///   - source: The image.
  ///   - plan: A plan without rotated crops or frames that reach out of the image. Default nil, which makes one.
  ///   - request: The faces and composition, without sizes, level eyes, fill outside the image, a resolution, or a
  ///     circle. With a plan, only `output` and `allowsDamage` count.
  ///   - progress: Called on the working thread.
  /// - Returns: The crops. Reading them throws ``FaceCropError/unsupported(_:)`` for other formats, and for a few JPEG
  ///   variants. A camera's RAW file gives its preview. It throws ``FaceCropError/invalidRequest(_:)`` for a request
  ///   with an excluded setting.
  public func losslessCrops(
    of source: ImageSource, plan: CropPlan? = nil, request: CropRequest = CropRequest(),
    progress: (@Sendable (CropProgress) -> Void)? = nil
  ) -> CropSequence<EncodedCrop> {
    steps(source, plan == nil ? [.overview, .detect, .render] : [], request, progress) {
      (session, job, give) throws(FaceCropError) in
      let session = try cutter(session, request)
      let planned = try planned(plan, session, request, job, give)
      let (last, warnings) = try cut(planned.plan, session, request.output, job) {
        (crop) throws(FaceCropError) in
        try give(.crop(crop))
      }
      return (last, warnings + planned.warnings)
    }
  }

  /// Returns the given plan, or makes one, and hands it over.
  func planned<Crop>(
    _ known: CropPlan?, _ session: any ImageSession, _ request: CropRequest, _ job: Job,
    _ give: (CropStep<Crop>) throws(FaceCropError) -> Void
  ) throws(FaceCropError) -> Planned {
    let planned = if let known { Planned(plan: known) } else { try planned(session, request, job) }
    try give(.planned(planned.plan, detectionPath: planned.detectionPath))
    return planned
  }

  func steps<Crop>(
    _ source: ImageSource, _ phases: Set<CropProgress.Phase>, _ request: CropRequest,
    _ progress: (@Sendable (CropProgress) -> Void)?,
    _ body:
      @escaping @Sendable (
        any ImageSession, Job, _ give: (CropStep<Crop>) throws(FaceCropError) -> Void
      ) throws(FaceCropError) -> (last: Crop?, warnings: [CropWarning])
  ) -> CropSequence<Crop> {
    CropSequence { (handoff) throws(FaceCropError) in
      try request.check()
      // The job gets its own thread, because it would block one of the shared ones while it waits for the reader.
      let (last, warnings) = try await run(
        source, allowsDamage: request.allowsDamage, on: .unlimited, progress: progress, phases: phases
      ) { (session, job) throws(FaceCropError) in
        func give(_ step: CropStep<Crop>) throws(FaceCropError) {
          try job.paused { () throws(FaceCropError) in try handoff.give(step) }
          try job.check()
        }
        return try body(session, job, give)
      }
      // The last crop is returned after the image is closed and the thread is free. Most images have only one.
      return (last.map { [.crop($0)] } ?? []) + [.finished(warnings: warnings)]
    }
  }
}
