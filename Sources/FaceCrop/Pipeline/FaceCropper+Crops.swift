extension FaceCropper {
  /// Both phases, with the crops one by one; the way to many or large ones.
  ///
  /// - Parameters:
  ///   - source: The picture.
  ///   - plan: To be applied instead of looking; nil looks and decides.
  ///   - request: As for ``crop(_:request:progress:)``; where a plan is given, its output and its word on damage count.
  ///   - progress: Called from the thread that works.
  public func crops(
    of source: ImageSource, plan: CropPlan? = nil, request: CropRequest = CropRequest(),
    progress: (@Sendable (CropProgress) -> Void)? = nil
  ) -> CropSequence<RenderedCrop> {
    steps(source, plan == nil ? [.look, .detect, .render] : [], request, progress) {
      (session, job, give) throws(FaceCropError) in
      let (plan, planWarnings) = try planned(plan, session, request, job, give)
      let (last, warnings) = try render(plan, session, request.output, job) {
        (crop) throws(FaceCropError) in try give(.crop(crop))
      }
      return (last, warnings + planWarnings)
    }
  }

  /// Both phases, with the crops one by one, like ``crops(of:plan:request:progress:)``, but cut out of a JPEG file as by
  /// ``cropLosslessly(_:request:progress:)``.
  public func losslessCrops(
    of source: ImageSource, plan: CropPlan? = nil, request: CropRequest = CropRequest(),
    progress: (@Sendable (CropProgress) -> Void)? = nil
  ) -> CropSequence<LosslessCrop> {
    steps(source, plan == nil ? [.look, .detect, .render] : [], request, progress) {
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

  /// All crops that `make` gives together, as far as ``Limits/resultBytes`` allows.
  ///
  /// - Parameter make: gives each crop but the last, which it returns.
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

  /// The plan, and what is not as it was asked for; of a known one nobody says what was.
  private func planned<Crop>(
    _ known: CropPlan?, _ session: any ImageSession, _ request: CropRequest, _ job: Job,
    _ give: (CropStep<Crop>) throws(FaceCropError) -> Void
  ) throws(FaceCropError) -> (plan: CropPlan, warnings: [CropWarning]) {
    if let known {
      try give(.planned(known, lookPath: nil))
      return (known, [])
    }
    let detection = try look(session, request.search, for: request.composition, job)
    let plan = try decide(detection, request.search, request.composition)
    try give(.planned(plan, lookPath: detection.path))
    return (plan, plan.warnings(request.search, request.composition))
  }

  private func steps<Crop>(
    _ source: ImageSource, _ phases: Set<CropProgress.Phase>, _ request: CropRequest,
    _ progress: (@Sendable (CropProgress) -> Void)?,
    _ body:
      @escaping @Sendable (
        any ImageSession, Job, _ give: (CropStep<Crop>) throws(FaceCropError) -> Void
      ) throws(FaceCropError) -> (last: Crop?, warnings: [CropWarning])
  ) -> CropSequence<Crop> {
    CropSequence { (handoff) throws(FaceCropError) in
      try request.check()
      // A thread of its own: one of the common ones would be missing there while it waits for the reader.
      let (last, warnings) = try await run(
        source, allowsDamage: request.allowsDamage, on: .unlimited, progress: progress, phases: phases
      ) { (session, job) throws(FaceCropError) in
        func give(_ step: CropStep<Crop>) throws(FaceCropError) {
          try job.paused { () throws(FaceCropError) in try handoff.give(step) }
          try job.check()
        }
        return try body(session, job, give)
      }
      // The picture is closed, and the thread free, before the last crop is encoded: of most pictures there is but one.
      return (last.map { [.crop($0)] } ?? []) + [.finished(warnings: warnings)]
    }
  }
}
