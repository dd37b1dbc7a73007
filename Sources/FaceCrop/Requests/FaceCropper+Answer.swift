extension FaceCropper {
  /// Answers a request with an embedded preview, or by rendering. If the crop needs faces without a `known` detection,
  /// it detects them first, and passes them to `looked` immediately. It calls `degraded`, if wanted, with a smaller
  /// image before the result.
  func answer(
    _ request: ImageRequest, from source: ImageSource, known: Detection?,
    looked: @escaping @Sendable (Detection) -> Void,
    degraded: (@Sendable (ImageResponse) -> Void)?, admission: Admission,
    progress: (@Sendable (CropProgress) -> Void)?
  ) async throws(FaceCropError) -> ImageResponse {
    var phases: Set<CropProgress.Phase> = [.render]
    if degraded != nil { phases.insert(.overview) }
    if case .faces = request.options.crop, known == nil { phases.formUnion([.overview, .detect]) }
    if request.options.encoding != nil { phases.insert(.encode) }
    return try await run(
      source, allowsDamage: request.cropRequest.allowsDamage, on: .unlimited, admission: admission, progress: progress,
      phases: phases
    ) { (session, job) throws(FaceCropError) in
      try answer(request, session, known: known, looked: looked, degraded: degraded, job)
    }
  }

  /// Answers a request from an open image.
  func answer(
    _ request: ImageRequest, _ session: any ImageSession, known: Detection? = nil,
    looked: (Detection) -> Void = { _ in }, degraded: ((ImageResponse) -> Void)? = nil, _ job: Job
  ) throws(FaceCropError) -> ImageResponse {
    let wanted = request.cropRequest
    let session = request.options.version == .original ? OrientedSession(session, .up) : session
    let isAnimated = session.header.isAnimated
    var seen: Decoded<PixelBuffer>?
    var planned: CropResult<Never>
    switch request.options.crop {
    case .none: planned = CropResult(plan: CropPlan(showing: .whole, of: session.header.displaySize))
    case .normalizedCropRect(let rect):
      planned = CropResult(plan: CropPlan(showing: rect.clamped(), of: session.header.displaySize))
    case .faces: planned = try self.planned(session, wanted, job, known: known, looked: looked) { seen = $0 }
    }
    guard let first = planned.plan.crops.first else { throw .noFace }
    planned.plan.crops = [first]

    if isAnimated, request.keepsFrames, let output = try request.output(for: session.format, isAnimated: true) {
      var pass: FinalPass?
      var shown: RenderedCrop?
      let made = try animate(
        planned.plan, 0, &pass, session, wanted.output, output, sampling: request.sampling, job
      ) { shown = $0 }
      guard let pass, let shown, let crop = made.crops.first else { throw .corrupt("the animation has no frame") }
      // Frames are encoded while they are rendered.
      job.report(.encode, 1, of: 1)
      return ImageResponse(
        shown, of: pass, format: session.format, warnings: made.warnings + planned.warnings,
        file: EncodedImage(format: output.imageFormat, bytes: crop.bytes))
    }

    let still = try session.atFrame(planned.plan.animationFrame, job).turned(by: planned.plan.rotation)
    var pass = try finalPass(over: still, planned.plan, wanted.output, sampling: request.sampling, job)
    func response(_ crop: RenderedCrop, isDegraded: Bool = false) -> ImageResponse {
      ImageResponse(
        crop, of: pass, format: session.format, isDegraded: isDegraded,
        warnings: pass.warnings(hasCrops: true) + planned.warnings)
    }
    if request.allowsPreview, let preview = embeddedPreview(in: still, above: pass.sizes[0], job),
      let crop = try? pass.preview(preview, of: still)
    {
      job.report(.render, 1, of: 1)
      return try response(crop, isDegraded: true).with(request.options.encoding, job)
    }
    if let degraded, let small = try overviewCrop(of: still, by: &pass, seen) {
      degraded(response(small, isDegraded: true))
    }
    guard let crop = try pass.crops(in: still, { _ in }) else { throw .noFace }
    try job.check()
    return try response(crop).with(request.options.encoding, job)
  }

  /// Crops the overview, which is reduced to the final size. Returns nil if the overview would have to be decoded for
  /// as many pixels as the final image has, or if people who must be sure are not in it.
  private func overviewCrop(
    of session: any ImageSession, by pass: inout FinalPass, _ seen: Decoded<PixelBuffer>?
  ) throws(FaceCropError) -> RenderedCrop? {
    let format = session.header.isGray ? PixelBuffer.Format.gray : .rgb
    let known = seen.flatMap { $0.value.format == format ? $0 : nil }
    let overview = if let known { known } else { try overview(of: session, format: format) }
    let rect = PixelRect(covering: pass.parts[0].crop.region, in: overview.value.size)
    let longSide = pass.sizes[0].longSide
    guard known != nil || rect.size.longSide < longSide,
      let part = PixelView(overview.value).cropping(to: rect)?.buffer()
    else { return nil }
    do throws(FaceCropError) {
      return try pass.preview(overview.with(part.shrunk(toLongSide: longSide)), of: session)
    } catch .unsureCutout {
      return nil
    }
  }

  /// Decodes the embedded preview, if it shows the whole image in its shape and is not smaller than `size`.
  private func embeddedPreview(
    in session: any ImageSession, above size: PixelSize, _ job: Job
  ) -> Decoded<PixelBuffer>? {
    let header = session.header
    guard let thumbnail = header.exif.flatMap(EXIF.init)?.thumbnail else { return nil }
    // If the preview is damaged or differs in format, the image itself is used.
    return try? Codecs.withSession(Array(thumbnail).span, isFileMapping: false, allowsDamage: false, job: job) {
      (inner) throws(FaceCropError) in
      let stored = inner.header.size
      let ratio = Double(stored.width * header.size.height) / Double(stored.height * header.size.width)
      guard inner.header.format == header.format, abs(ratio - 1) < 0.02,
        header.orientation.applied(to: stored).longSide >= size.longSide
      else { throw .unsupported("the preview belongs to another image") }
      return try inner.picture(
        of: RegionRequest(rect: PixelRect(whole: stored, scale: 8), progress: .silent), turned: header.orientation)
    }
  }
}

extension ImageResponse {
  fileprivate init(
    _ crop: RenderedCrop, of pass: FinalPass, format: ImageFormat, isDegraded: Bool = false, warnings: [CropWarning],
    file: EncodedImage? = nil
  ) {
    var plan = pass.plan
    plan.crops = [pass.parts[0].crop]
    self.init(
      image: PixelView(crop.pixels), isDegraded: isDegraded, plan: plan, format: format,
      colorProfile: crop.colorProfile, warnings: warnings, file: file)
  }
}
