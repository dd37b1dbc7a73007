extension FaceCropper {
  /// Crops all frames of an animation by one steady region, and encodes each crop as an animation.
  ///
  /// The animation is decoded once for the detection pass, and once for each crop. Its canvas takes 16 bytes per pixel,
  /// and the outputs are encoded frame by frame. Delays and repetitions are kept. A still image gives one frame.
  ///
  /// ```swift
  /// for try await step in cropper.animatedCrops(of: .file("wave.gif"), as: .webp(quality: 80)) {
  ///   if case .crop(let crop) = step { try store(crop.bytes) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - source: An animated file, or another image.
  ///   - plan: A plan to render without a detection pass. Default nil, which makes one under
  ///     ``AnimationPolicy/keep``.
  ///   - request: The request, as for ``crops(of:plan:request:progress:)``. Its policy for animations does not count.
  ///   - format: WebP, lossy or lossless, or GIF.
  ///   - progress: Called on the working thread.
  /// - Returns: The crops. Reading them throws ``FaceCropError/overLimit(_:actual:allowed:)`` with
  ///   ``Limits/Kind/frames``, ``Limits/Kind/animationPixels`` or ``Limits/Kind/resultBytes``, and
  ///   ``FaceCropError/unsupported(_:)`` for animated files of other formats.
  public func animatedCrops(
    of source: ImageSource, plan: CropPlan? = nil, request: CropRequest = CropRequest(), as format: OutputFormat,
    progress: (@Sendable (CropProgress) -> Void)? = nil
  ) -> CropSequence<EncodedCrop> {
    var request = request
    request.search.animation = .keep
    if request.output.gainMap != .drop { request.output.gainMap = .otherFormat }
    return steps(
      source, plan, request, progress,
      check: { (_) throws(FaceCropError) in
        guard format.imageFormat.encoderFeatures.contains(.animation) else {
          throw .noAnimation(in: format.imageFormat)
        }
      }
    ) { [output = request.output] (session, plan, job, give) throws(FaceCropError) in
      guard plan.animationFrame == 0 else {
        throw .invalidRequest("the plan is for one frame of an animation (make it for all frames)")
      }
      return try animate(plan, session, output, format, job, give: give)
    }
  }

  /// Renders and encodes all frames for each crop of a plan. `give` gets each result but the last, which is returned.
  func animate(
    _ plan: CropPlan, _ session: any ImageSession, _ output: CropOutput, _ format: OutputFormat, _ job: Job,
    give: (EncodedCrop) throws(FaceCropError) -> Void
  ) throws(FaceCropError) -> (last: EncodedCrop?, warnings: [CropWarning]) {
    var warnings: [CropWarning] = []
    var last: EncodedCrop?
    // It serves all crops and frames, since a profile or a packet takes far more time than a small frame.
    var pass: FinalPass?
    for index in plan.crops.indices {
      let made = try animate(plan, index, &pass, session, output, format, job)
      for warning in made.warnings where !warnings.contains(warning) { warnings.append(warning) }
      for crop in made.crops {
        if let last { try give(last) }
        last = crop
      }
    }
    return (last, warnings)
  }

  /// Renders and encodes all frames for the crop `wanted` of a plan, in all sizes. It creates the pass if it is nil. It
  /// calls `first` with each output of the first frame.
  func animate(
    _ plan: CropPlan, _ wanted: Int, _ pass: inout FinalPass?, _ session: any ImageSession, _ output: CropOutput,
    _ format: OutputFormat, sampling: FinalPass.Sampling = .fine, _ job: Job, first: (RenderedCrop) -> Void = { _ in }
  ) throws(FaceCropError) -> (crops: [EncodedCrop], warnings: [CropWarning]) {
    let silent = Job(limits: job.limits, cancellation: job.cancellation, progress: nil)
    var reader = session.header.isAnimated ? try session.animation(job) : nil
    let (count, plays) = (reader?.count ?? 1, reader?.plays ?? 1)
    var encoders: [any AnimationEncoder] = []
    var crops: [EncodedCrop] = []
    var warnings: [CropWarning] = []
    for number in 0..<count {
      let frame = try reader?.draw()
      let milliseconds = frame?.milliseconds ?? 0
      let shown = (frame.map { CanvasSession($0, of: session, job: silent) as any ImageSession } ?? session)
        .turned(by: plan.rotation)
      var index = 0
      func take(_ crop: RenderedCrop) throws(FaceCropError) {
        if number == 0 {
          first(crop)
          encoders.append(
            try Codecs.animationEncoder(for: crop.encoderInput, as: format, plays: plays, job: silent))
          var file = EncodedCrop(crop, [], as: format)
          (file.frameCount, file.plays) = (count, plays)
          crops.append(file)
        }
        try encoders[index].add(crop.pixels, milliseconds: milliseconds)
        crops[index].milliseconds = crops[index].milliseconds.addingClamped(milliseconds)
        if let confidence = crop.cutoutConfidence {
          crops[index].cutoutConfidence = min(confidence, crops[index].cutoutConfidence ?? 1)
        }
        index += 1
      }
      if pass == nil { pass = try finalPass(over: shown, plan, output, sampling: sampling, silent) }
      pass?.addsMetadata = number == 0
      if let last = try pass?.crops(in: shown, only: wanted, take) { try take(last) }
      // Warnings of later frames include those of earlier ones, except for cut-outs.
      let found = pass?.warnings(hasCrops: true) ?? []
      warnings = warnings.filter { $0.kind == "cutout" && !found.contains($0) } + found
      job.report(.render, wanted * count + number + 1, of: plan.crops.count * count)
    }
    for index in crops.indices { crops[index].bytes = try encoders[index].finish() }
    return (crops, warnings)
  }

  // MARK: Detection

  /// The upper bounds of frames that are searched, and of faces in each whose eyes are measured.
  private static let (mostCandidates, mostSamples, mostMeshes) = (16, 8, 8)

  /// Runs the detection pass over an image, or over the frames of an animation that the policy requests; see
  /// ``lookAtImage(_:_:for:_:findsHeads:readsNames:usesThumbnail:mostMeshes:seen:)``.
  func look(
    _ session: any ImageSession, _ search: FaceSearch, for composition: Composition = Composition(), _ job: Job,
    findsHeads: Bool = false, readsNames: Bool = false, usesThumbnail: Bool = true,
    seen: (Decoded<PixelBuffer>) -> Void = { _ in }
  ) throws(FaceCropError) -> Detection {
    guard search.animation != .first, session.header.isAnimated else {
      return try lookAtImage(
        session, search, for: composition, job, findsHeads: findsHeads, readsNames: readsNames,
        usesThumbnail: usesThumbnail, seen: seen)
    }
    return search.animation == .best
      ? try lookForBest(session, search, for: composition, job, findsHeads, readsNames, seen: seen)
      : try lookAtSamples(session, search, for: composition, job, findsHeads, readsNames, seen: seen)
  }

  /// Searches frames at equal distances, and returns the detection of the best one, which is searched once more.
  private func lookForBest(
    _ session: any ImageSession, _ search: FaceSearch, for composition: Composition, _ job: Job, _ findsHeads: Bool,
    _ readsNames: Bool, seen: (Decoded<PixelBuffer>) -> Void
  ) throws(FaceCropError) -> Detection {
    var reader = try session.animation(job)
    let silent = Job(limits: job.limits, cancellation: job.cancellation, progress: nil)
    var seeking = search
    (seeking.findsMeshes, seeking.noFace) = (true, .skip)
    var shots: [ShotQuality] = []
    let numbers = Self.spread(Self.mostCandidates, over: reader.count)
    for number in numbers {
      guard let frame = try reader.draw(upTo: number) else { break }
      let detection = try lookAtImage(
        CanvasSession(frame, of: session, job: silent), seeking, silent, mostMeshes: Self.mostMeshes)
      let faces = search.groups(of: detection.faces, in: detection.size, chosen: detection.chosen).joined()
      shots.append(ShotQuality(of: Set(faces).sorted().map { detection.faces[$0] }, in: detection.size))
      job.report(.detect, shots.count, of: numbers.count)
    }
    guard let best = ShotQuality.best(of: shots) else { throw .corrupt("the animation has no frame") }
    var detection = try lookAtImage(
      session.atFrame(numbers[best], silent), search, for: composition, silent, findsHeads: findsHeads,
      readsNames: readsNames, seen: seen)
    detection.animationFrame = numbers[best]
    return detection
  }

  /// Searches frames at equal distances, and returns a detection for all frames; see ``SteadyFaces``.
  private func lookAtSamples(
    _ session: any ImageSession, _ search: FaceSearch, for composition: Composition, _ job: Job, _ findsHeads: Bool,
    _ readsNames: Bool, seen: (Decoded<PixelBuffer>) -> Void
  ) throws(FaceCropError) -> Detection {
    var reader = try session.animation(job)
    let silent = Job(limits: job.limits, cancellation: job.cancellation, progress: nil)
    var search = search.findingAllFaces
    var turn = QuarterTurn.none
    var found: [Detection] = []
    let numbers = Self.spread(Self.mostSamples, over: reader.count)
    for (done, number) in numbers.enumerated() {
      guard let frame = try reader.draw(upTo: number) else { break }
      let shown = CanvasSession(frame, of: session, job: silent).turned(by: turn)
      var detection = try lookAtImage(
        shown, search, for: composition, silent, findsHeads: findsHeads, readsNames: readsNames
      ) { if done == 0 { seen($0) } }
      if turn != .none { detection.rotation = turn }
      // The first frame with faces decides the rotation of all.
      if !detection.faces.isEmpty { (turn, search.upright) = (detection.rotation, .off) }
      found.append(detection)
      job.report(.detect, done + 1, of: numbers.count)
    }
    guard let steady = SteadyFaces.merged(found) else { throw .corrupt("the animation has no frame") }
    return steady
  }

  /// Returns up to `most` numbers of frames at equal distances, with the first and the last one.
  static func spread(_ most: Int, over count: Int) -> [Int] {
    guard count > most else { return Array(0..<count) }
    return (0..<most).map { $0 * (count - 1) / (most - 1) }
  }
}
