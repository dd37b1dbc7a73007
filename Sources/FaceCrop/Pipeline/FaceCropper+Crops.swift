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
      let (plan, planWarnings) = try planned(plan, session, request, job, give)
      let (last, warnings) = try render(plan, session, request.output, job) {
        (crop) throws(FaceCropError) in try give(.crop(crop))
      }
      return (last, warnings + planWarnings)
    }
  }

  /// Detects faces and cuts the crops out of a JPEG file one by one. It combines ``crops(of:plan:request:progress:)``
  /// and ``cropLosslessly(_:request:progress:)``.
  public func losslessCrops(
    of source: ImageSource, plan: CropPlan? = nil, request: CropRequest = CropRequest(),
    progress: (@Sendable (CropProgress) -> Void)? = nil
  ) -> CropSequence<LosslessCrop> {
    steps(source, plan == nil ? [.overview, .detect, .render] : [], request, progress) {
      (session, job, give) throws(FaceCropError) in
      let session = try cutter(session, request)
      let (plan, planWarnings) = try planned(plan, session, request, job, give)
      let (last, warnings) = try cut(plan, session, request.output, job) {
        (crop) throws(FaceCropError) in
        try give(.crop(crop))
      }
      return (last, warnings + planWarnings)
    }
  }

  /// Collects all crops from `make`, up to ``Limits/resultBytes``. `make` passes each crop but the last, which it
  /// returns.
  func together<Crop>(
    bytesOf count: KeyPath<Crop, Int>,
    _ make: (_ give: (Crop) throws(FaceCropError) -> Void) throws(FaceCropError) -> (
      last: Crop?, warnings: [CropWarning]
    )
  ) throws(FaceCropError) -> (crops: [Crop], warnings: [CropWarning]) {
    var crops: [Crop] = []
    var bytes = 0
    func take(_ crop: Crop) throws(FaceCropError) {
      bytes += crop[keyPath: count]
      try limits.check(.resultBytes, bytes)
      crops.append(crop)
    }
    let (last, warnings) = try make(take)
    if let last { try take(last) }
    return (crops, warnings)
  }

  /// Returns the plan, and the warnings about it. A given plan has none.
  func planned<Crop>(
    _ known: CropPlan?, _ session: any ImageSession, _ request: CropRequest, _ job: Job,
    _ give: (CropStep<Crop>) throws(FaceCropError) -> Void
  ) throws(FaceCropError) -> (plan: CropPlan, warnings: [CropWarning]) {
    if let known {
      try give(.planned(known, detectionPath: nil))
      return (known, [])
    }
    let detection = try look(session, request.search, for: request.composition, job)
    let plan = try decide(detection, request.search, request.composition)
    try give(.planned(plan, detectionPath: detection.path))
    return (plan, detection.turnWarnings + plan.warnings(request.search, request.composition))
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
