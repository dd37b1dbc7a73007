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
    steps(source, plan, request, progress) { (session, plan, job, give) throws(FaceCropError) in
      try render(plan, session, request.output, job, give: give)
    }
  }

  /// Detects faces and renders the crops of many images, in their order.
  ///
  /// - Parameters:
  ///   - sources: The images. Files are read when their turn comes.
  ///   - request: The request for each image, as for ``crop(_:request:progress:)``.
  ///   - concurrency: The number of images in memory, as results too. Default nil, the number of processors.
  public func crops(
    of sources: [ImageSource], request: CropRequest = CropRequest(), concurrency: Int? = nil
  ) -> OrderedResults<CropResult<RenderedCrop>, FaceCropError> {
    OrderedResults(of: sources, concurrency: concurrency ?? JobThreads.shared.limit) {
      (source) async throws(FaceCropError) in try await crop(source, request: request)
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
    steps(
      source, plan, request, progress,
      check: { (session) throws(FaceCropError) in _ = try cutter(session, request) }
    ) { (session, plan, job, give) throws(FaceCropError) in
      try cut(plan, cutter(session, request), request.output, job, give: give)
    }
  }

  /// Returns the steps of a given or new plan, with the crops that `body` makes. `check` refuses an image before it is
  /// searched.
  func steps<Crop>(
    _ source: ImageSource, _ plan: CropPlan?, _ request: CropRequest, _ progress: (@Sendable (CropProgress) -> Void)?,
    check: @escaping @Sendable (any ImageSession) throws(FaceCropError) -> Void = { _ in },
    _ body:
      @escaping @Sendable (
        any ImageSession, CropPlan, Job, _ give: (Crop) throws(FaceCropError) -> Void
      ) throws(FaceCropError) -> (last: Crop?, warnings: [CropWarning])
  ) -> CropSequence<Crop> {
    CropSequence { (handoff) throws(FaceCropError) in
      try request.check()
      // The job gets its own thread, because it would block one of the shared ones while it waits for the reader.
      let (last, warnings) = try await run(
        source, allowsDamage: request.allowsDamage, on: .unlimited, progress: progress,
        phases: plan == nil ? [.overview, .detect, .render] : []
      ) { (session, job) throws(FaceCropError) in
        func give(_ step: CropStep<Crop>) throws(FaceCropError) {
          try job.paused { () throws(FaceCropError) in try handoff.give(step) }
          try job.check()
        }
        try check(session)
        // A given plan has no warnings.
        let planned = if let plan { CropResult<Never>(plan: plan) } else { try planned(session, request, job) }
        try give(.planned(planned.plan, detectionPath: planned.detectionPath))
        let (last, warnings) = try body(session, planned.plan, job) { (crop) throws(FaceCropError) in
          try give(.crop(crop))
        }
        return (last, warnings + planned.warnings)
      }
      // The last crop is returned after the image is closed and the thread is free. Most images have only one.
      return (last.map { [.crop($0)] } ?? []) + [.finished(warnings: warnings)]
    }
  }
}
