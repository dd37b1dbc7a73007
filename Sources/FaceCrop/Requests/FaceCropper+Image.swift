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
    let wanted = request.cropRequest
    let isStored = request.options.version == .original
    var phases: Set<CropProgress.Phase> = [.render]
    if degraded != nil { phases.insert(.overview) }
    if case .faces = request.options.crop, known == nil { phases.formUnion([.overview, .detect]) }
    if request.options.encoding != nil { phases.insert(.encode) }
    return try await run(
      source, allowsDamage: wanted.allowsDamage, on: .unlimited, admission: admission, progress: progress,
      phases: phases
    ) { (session, job) throws(FaceCropError) in
      var work = ImageWork(
        cropper: self, session: isStored ? OrientedSession(session, .up) : session, request: request, wanted: wanted,
        job: job)
      let answer = try work.answer(known: known, looked: looked, degraded: degraded)
      return try answer.with(request.options.encoding, job)
    }
  }
}

extension ImageRequest {
  /// The equivalent crop request, as far as one can express it.
  var cropRequest: CropRequest {
    var request = CropRequest()
    if case .faces(let faces) = options.crop { request = faces }
    if options.version == .original { request.search.upright = .off }
    request.output.color = options.color
    request.output.allowsUpscaling = allowsUpscaling
    request.output.sizes = targetSize == .maximum || options.resizeMode == .none ? [] : [exactSize ?? boundingSize]
    return request
  }

  /// The size whose shape the crop gets; nil for none.
  var exactSize: OutputSize? {
    guard options.isCutToTarget, contentMode == .aspectFill, targetSize.longSide <= OutputSize.largestSide else {
      return nil
    }
    return .exact(width: targetSize.width, height: targetSize.height)
  }

  /// An upper bound of the output's size for any shape, for estimates.
  private var boundingSize: OutputSize {
    let side = min(contentMode == .aspectFit ? targetSize.longSide : targetSize.shortSide, OutputSize.largestSide)
    return contentMode == .aspectFit ? .longSide(max(side, 1)) : .width(max(side, 1))
  }

  /// Whether the response's file has all frames of an animation.
  var keepsFrames: Bool {
    guard case .faces(let faces) = options.crop else { return false }
    return faces.search.animation == .keep && options.encoding != nil
  }

  /// Returns the format of the response's file; nil for none.
  func output(for source: ImageFormat, isAnimated: Bool) throws(FaceCropError) -> OutputFormat? {
    isAnimated && keepsFrames
      ? try options.encoding?.animatedOutput(for: source) : options.encoding?.output(for: source)
  }

  /// Returns the demand of the work on an image with this header.
  func demand(of info: ImageInfo) throws(ImageRequestError) -> DecodeQueue.Demand {
    let crop = cropRequest
    let output: OutputFormat?
    do throws(FaceCropError) {
      output = try self.output(for: info.format, isAnimated: info.isAnimated)
    } catch {
      throw .image(error)
    }
    let memory = info.memory(for: crop, as: output, encodedPixels: mostEncodedPixels)
    return DecodeQueue.Demand(memory: memory, isExpensive: info.cost(for: crop) > DecodeQueue.expensiveCost)
  }

  /// Returns the output's size for a region of `size` pixels. It is not larger than the region, unless enlarging is
  /// allowed.
  func outputSize(for size: PixelSize) -> PixelSize {
    guard options.resizeMode != .none else { return size }
    let factor = scale(of: size)
    return factor >= 1 && !allowsUpscaling ? size : size.scaled(by: factor)
  }

  /// Returns the warning about an output of a region of `size` pixels that is smaller than the target requests; nil if
  /// it is not. `cut` is the exact size, if the region was cut to its shape.
  func smallerWarning(for size: PixelSize, cut: OutputSize? = nil) -> CropWarning? {
    // A size that no output can have is an upper bound.
    let factor = scale(of: size)
    guard options.resizeMode != .none,
      cut != nil || (Double(size.longSide) * factor).rounded() <= Double(OutputSize.largestSide)
    else { return nil }
    let asked = cut?.pixels(for: size, allowsUpscaling: true) ?? size.scaled(by: factor)
    let made = cut?.pixels(for: size, allowsUpscaling: allowsUpscaling) ?? outputSize(for: size)
    return asked == made ? nil : .smaller(requested: asked, actual: made)
  }

  /// Returns the ratio of the target to a region of `size` pixels.
  private func scale(of size: PixelSize) -> Double {
    let horizontal = Double(targetSize.width) / Double(size.width)
    let vertical = Double(targetSize.height) / Double(size.height)
    return contentMode == .aspectFit ? min(horizontal, vertical) : max(horizontal, vertical)
  }

  /// An upper bound of the pixels to encode; nil if only the image bounds them.
  var mostEncodedPixels: Double? {
    exactSize != nil && options.resizeMode == .exact && options.deliveryMode != .fast
      ? Double(targetSize.width) * Double(targetSize.height) : nil
  }

  /// Throws ``FaceCropError/invalidRequest(_:)`` if a number is not finite or out of its range.
  func checkNumbers() throws(FaceCropError) {
    guard targetSize.shortSide > 0 else {
      throw .invalidRequest("the sides of the target size must be at least 1 pixel")
    }
    guard !allowsUpscaling || targetSize.longSide <= OutputSize.largestSide else { throw Self.tooLarge }
    switch options.crop {
    case .none: break
    case .normalizedCropRect(let rect):
      guard rect.isValid else { throw .invalidRequest("the crop rectangle lies outside the image") }
    case .faces(let request): try request.check()
    }
  }

  /// Throws ``ImageRequestError/image(_:)`` if a number is not finite or out of its range, before the request becomes
  /// a key.
  func check() throws(ImageRequestError) {
    do {
      try checkNumbers()
    } catch {
      throw .image(error)
    }
  }

  fileprivate static let tooLarge = FaceCropError.invalidRequest(
    "an enlarged image has at most \(OutputSize.largestSide) pixels a side")

  fileprivate var allowsUpscaling: Bool {
    options.allowsUpscaling && options.resizeMode == .exact && targetSize != .maximum
  }
}

/// The steps of an answer over one image, or over one frame of an animation.
struct ImageWork {
  let cropper: FaceCropper
  var session: any ImageSession
  let request: ImageRequest
  let wanted: CropRequest
  var job: Job
  /// The warnings of the detection pass and about the plan.
  private var planWarnings: [CropWarning] = []

  init(cropper: FaceCropper, session: any ImageSession, request: ImageRequest, wanted: CropRequest, job: Job) {
    (self.cropper, self.session, self.request) = (cropper, session, request)
    (self.wanted, self.job) = (wanted, job)
  }

  mutating func answer(
    known: Detection?, looked: (Detection) -> Void, degraded: (@Sendable (ImageResponse) -> Void)?
  ) throws(FaceCropError) -> ImageResponse {
    try request.checkNumbers()
    if var preview = preview() {
      if let warning = request.smallerWarning(for: session.header.displaySize) { preview.warnings.append(warning) }
      job.report(.render, 1, of: 1)
      return preview
    }
    var seen: Decoded<PixelBuffer>?
    let plan: CropPlan
    switch request.options.crop {
    case .none: plan = whole([CropPlan.Crop(region: .whole, faces: [])])
    case .normalizedCropRect(let rect): plan = whole([CropPlan.Crop(region: rect.clamped(), faces: [])])
    case .faces:
      let found: Detection
      if let known {
        found = known
      } else {
        found = try cropper.look(session, wanted.search, for: wanted.composition, job) { seen = $0 }
        looked(found)
      }
      plan = try cropper.decide(found, wanted.search, wanted.composition)
      planWarnings = found.turnWarnings + plan.warnings(wanted.search, wanted.composition)
      if request.keepsFrames, session.header.isAnimated { return try animated(plan) }
      session = try session.atFrame(plan.animationFrame, job).turned(by: plan.rotation)
    }
    var finisher: Finisher?
    return try rendered(plan, by: &finisher, seen, degraded: degraded)
  }

  /// Renders the first crop of a plan. It creates the finisher if it is nil; the frames of an animation share one.
  mutating func rendered(
    _ plan: CropPlan, by finisher: inout Finisher?, _ seen: Decoded<PixelBuffer>? = nil,
    degraded: (@Sendable (ImageResponse) -> Void)? = nil
  ) throws(FaceCropError) -> ImageResponse {
    guard var crop = plan.crops.first else { throw .noFace }
    // A template's output has its own shape.
    let exact = crop.template == nil ? request.exactSize : nil
    if let exact, let part = plan.parts(for: [exact]).first { crop = part.crop }
    let renderer = RegionRenderer(
      crop, in: plan.source, fill: wanted.output.fill, shape: wanted.output.shape, session: session)
    // Without resizing, only the shape of the target counts.
    let resized = request.options.resizeMode == .none ? nil : exact
    let size =
      resized?.pixels(for: renderer.outputSize, allowsUpscaling: request.allowsUpscaling)
      ?? request.outputSize(for: renderer.outputSize)
    guard !request.allowsUpscaling || size.longSide <= OutputSize.largestSide else { throw ImageRequest.tooLarge }
    guard size.longSide >= wanted.output.smallestSide else {
      throw .tooSmall(size, allowedSide: wanted.output.smallestSide)
    }
    if let warning = request.smallerWarning(for: renderer.outputSize, cut: resized) { planWarnings.append(warning) }
    let shared = finisher ?? newFinisher(plan, for: size)
    finisher = shared
    if let degraded, let small = try small(crop, shared, seen, below: size) { degraded(small) }
    let decoded = try picture(of: crop, by: renderer, size)
    try job.check()
    return try response(decoded, crop, view: renderer.view, shared)
  }

  private func picture(
    of crop: CropPlan.Crop, by renderer: RegionRenderer, _ size: PixelSize
  ) throws(FaceCropError) -> Decoded<PixelBuffer> {
    let (mode, progress) = (request.options.resizeMode, ProgressSpan(job: job, phase: .render))
    let isFast = mode == .fast || mode == .exact && request.options.deliveryMode == .fast
    // A cut-out takes memory by the target size.
    if isFast, wanted.output.background(of: crop) == nil {
      return try renderer.picture(above: size, limits: cropper.limits, isLast: true, progress: progress)
    }
    let decoded = try renderer.pictures(
      sizes: [size], limits: cropper.limits, isLast: true, progress: progress,
      oversampling: mode == .none ? 4 : oversampling(of: size))
    return decoded.with(decoded.value[0])
  }

  /// Returns the oversampling of an output. Small images profit from it. For large ones it would cost four times the
  /// memory without a visible effect.
  private func oversampling(of size: PixelSize) -> Double { size.longSide <= 1_024 ? 2 : 1 }

  private func newFinisher(_ plan: CropPlan, for size: PixelSize) -> Finisher {
    var made = Finisher(plan, of: session.header, wanted.output, cropper.personNetworks, job)
    made.prepare(for: [size])
    return made
  }

  private func whole(_ crops: [CropPlan.Crop]) -> CropPlan {
    CropPlan(source: session.header.displaySize, detector: "", faces: [], crops: crops)
  }

  private func response(
    _ decoded: consuming Decoded<PixelBuffer>, _ crop: CropPlan.Crop, view: CropView, _ finisher: Finisher,
    isDegraded: Bool = false
  ) throws(FaceCropError) -> ImageResponse {
    var warnings = decoded.faults.warnings
    if session.header.isAnimated { warnings.append(.firstFrameOnly) }
    warnings += planWarnings
    let background = try finisher.background(of: crop, view: view, in: decoded.value)
    let made = try finisher(decoded.value, background)
    if let warning = background?.warning { warnings.append(warning) }
    if made.dropsProfile { warnings.append(.profileDropped) }
    return ImageResponse(
      image: PixelView(made.pixels), isDegraded: isDegraded, region: crop.region, sourceSize: finisher.plan.source,
      rotation: finisher.plan.rotation, format: session.format, faces: finisher.plan.faces,
      colorProfile: made.colorProfile, warnings: warnings)
  }

  // MARK: Previews

  /// Crops the overview; nil if the final image is not larger, or people who must be sure are not in the overview.
  private func small(
    _ crop: CropPlan.Crop, _ finisher: Finisher, _ seen: Decoded<PixelBuffer>?, below size: PixelSize
  ) throws(FaceCropError) -> ImageResponse? {
    let format = session.header.isGray ? PixelBuffer.Format.gray : .rgb
    let overview =
      if let seen, seen.value.format == format {
        seen
      } else {
        try cropper.overview(of: session, format: format)
      }
    let rect = PixelRect(covering: crop.region, in: overview.value.size)
    guard rect.size.longSide < size.longSide, let part = PixelView(overview.value).cropping(to: rect) else {
      return nil
    }
    let view = CropView(frame: Frame(PixelRect(covering: crop.region, in: finisher.plan.source)))
    do throws(FaceCropError) {
      return try response(overview.with(part.buffer()), crop, view: view, finisher, isDegraded: true)
    } catch .unsureCutout {
      return nil
    }
  }

  /// Decodes the embedded preview, if it shows the whole image in its shape and is not smaller than the target.
  private func preview() -> ImageResponse? {
    guard request.options.deliveryMode == .fast, request.options.crop == .none, request.options.resizeMode != .none,
      request.exactSize == nil,
      let thumbnail = session.header.exif.flatMap(EXIF.init)?.thumbnail
    else { return nil }
    let header = session.header
    let size = request.outputSize(for: header.displaySize)
    // If the preview is damaged or differs in format, the image itself is used.
    let pixels = try? Codecs.withSession(
      Array(thumbnail).span, isFileMapping: false, allowsDamage: false, job: job
    ) { (inner) throws(FaceCropError) in
      let stored = inner.header.size
      let ratio = Double(stored.width * header.size.height) / Double(stored.height * header.size.width)
      guard inner.header.format == header.format, abs(ratio - 1) < 0.02,
        header.orientation.applied(to: stored).longSide >= size.longSide
      else { throw .unsupported("the preview belongs to another image") }
      return try inner.picture(
        of: RegionRequest(rect: PixelRect(whole: stored, scale: 8), progress: .silent), turned: header.orientation)
    }
    return pixels.flatMap {
      try? response(
        $0, CropPlan.Crop(region: .whole, faces: []), view: CropView(frame: Frame(PixelRect(whole: size, scale: 8))),
        newFinisher(whole([]), for: size), isDegraded: true)
    }
  }
}
