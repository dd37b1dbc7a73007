/// Crops photographs to the faces in them, in two phases.
///
/// The first, ``plan(for:search:composition:allowsDamage:progress:)``, decodes the picture small, finds the faces and decides which regions are
/// wanted. The second, ``render(_:from:output:allowsDamage:progress:)``, decodes only those, at full quality.
/// ``crop(_:request:progress:)`` does both over one reading of the file where its kind allows, and
/// ``crops(of:plan:request:progress:)`` gives many crops one by one.
///
/// ```swift
/// let cropper = FaceCropper()
/// let result = try await cropper.crop(.file("portrait.jpg"))
/// let jpeg = try await cropper.encode(result.crops[0], as: .jpeg(quality: 85))
/// ```
///
/// One value serves any number of tasks. The work is done on threads of its own, outside Swift's cooperative pool. When
/// the task is cancelled, a call ends with ``FaceCropError/cancelled`` within milliseconds while it decodes or encodes,
/// and after the running detection while it detects; it leaves nothing behind. Progress closures are called from the
/// thread that works, and hold it up while they run.
public struct FaceCropper: Sendable {
  /// Finds the faces; its name says what it is.
  public let detector: any FaceDetector
  /// What an input may cost.
  public let limits: Limits
  /// Find where heads end.
  private let personNetworks: LoanPool<PersonNetwork>

  /// - Parameters:
  ///   - detector: Finds the faces; by default the network YuNet. Keep the cropper, which holds the networks' memory.
  ///   - limits: What an input may cost.
  ///   - keepsMemory: Whether the memory of the network that finds heads, some 2 MiB for each thread, stays for the next image.
  public init(
    detector: any FaceDetector = YuNetFaceDetector(), limits: Limits = Limits(), keepsMemory: Bool = true
  ) {
    self.detector = detector
    self.limits = limits
    personNetworks = LoanPool(keepsItems: keepsMemory) { () throws(FaceCropError) in try PersonNetwork() }
  }

  private init(_ other: FaceCropper, limits: Limits) {
    detector = other.detector
    self.limits = limits
    personNetworks = other.personNetworks
  }

  /// A cropper whose calls all end by `deadline`, together, each with ``Limits/Kind/time`` as the limit that it is over: what is asked
  /// for of one picture, look, crops and their encoding, then has one time. That time does not stand still while a reader of
  /// ``crops(of:plan:request:progress:)`` is busy.
  ///
  /// ```swift
  /// let cropper = cropper.ending(by: .now + .seconds(10))
  /// ```
  public func ending(by deadline: ContinuousClock.Instant) -> FaceCropper {
    var limits = limits
    limits.deadline = Limits.Deadline(deadline)
    return FaceCropper(self, limits: limits)
  }

  /// A cropper with the same detector and the same networks' memory, and other limits.
  public func limited(to limits: Limits) -> FaceCropper { FaceCropper(self, limits: limits) }

  /// What a picture's header says. No pixel is decoded, and no more of a file is read than its header, the lengths of some
  /// segments behind it, of a PNG the last 256 KiB, and of a JPEG of several scans their markers.
  ///
  /// - Throws: ``FaceCropError/unreadable(_:)``, ``FaceCropError/unsupported(_:)``, ``FaceCropError/corrupt(_:)`` or
  ///   ``FaceCropError/overLimit(_:actual:allowed:)``, where a crop would too; only the limit of a JPEG's scans is not checked. What a crop finds wrong with
  ///   the picture's data is not looked for.
  public func info(of source: ImageSource) async throws(FaceCropError) -> ImageInfo {
    try await info(of: source, on: .shared, abandonment: nil)
  }

  /// The same on threads of another kind.
  func info(
    of source: ImageSource, on threads: JobThreads, abandonment: Abandonment?
  ) async throws(FaceCropError) -> ImageInfo {
    try await Job.run(limits: limits, on: threads, abandonment: abandonment, progress: nil) {
      (job) throws(FaceCropError) in
      try source.withBytes(limits: limits, job: job) { (bytes, isFileMapping) throws(FaceCropError) in
        try ImageInfo(reading: bytes, isFileMapping: isFileMapping, job: job)
      }
    }
  }

  /// Finds the faces in a picture.
  ///
  /// - Parameters:
  ///   - source: The picture.
  ///   - search: Whose heads and landmarks are found; under ``NoFacePolicy/attention`` the detection has what draws the eye in a picture
  ///     without a face. The faces do not depend on it.
  ///   - levelsEyes: Whether it is for outputs with level eyes: the faces that get a region of their own have exact landmarks.
  ///   - findsHeads: Whether the heads of those faces are found, by another network: half a detection pass for each. Default false.
  ///   - allowsDamage: Whether a damaged or truncated picture is searched as far as it can be read, with a ``CropWarning``.
  ///   - progress: Called from the thread that works.
  /// - Throws: Any ``FaceCropError``; a picture without a face is none.
  public func detect(
    in source: ImageSource, search: FaceSearch = FaceSearch(), levelsEyes: Bool = false, findsHeads: Bool = false,
    allowsDamage: Bool = false, progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> Detection {
    try search.check()
    return try await run(source, allowsDamage: allowsDamage, progress: progress, phases: [.look, .detect]) {
      (session, job) throws(FaceCropError) in
      try look(session, search, for: Composition(levelsEyes: levelsEyes), job, findsHeads: findsHeads)
    }
  }

  /// What ``detect(in:search:levelsEyes:findsHeads:allowsDamage:progress:)`` finds, drawn into the picture at the size at which it was searched: boxes, scores,
  /// landmarks.
  ///
  /// - Throws: Any ``FaceCropError``.
  public func preview(
    of source: ImageSource, search: FaceSearch = FaceSearch(), levelsEyes: Bool = false, allowsDamage: Bool = false
  ) async throws(FaceCropError) -> (detection: Detection, picture: RenderedCrop) {
    try search.check()
    return try await run(source, allowsDamage: allowsDamage, progress: nil) { (session, job) throws(FaceCropError) in
      let composition = Composition(levelsEyes: levelsEyes)
      let detection = try look(session, search, for: composition, job, findsHeads: true)
      let overview = try overview(of: session, format: .rgb)
      let picture = RenderedCrop(
        pixels: try overview.value.marked(with: detection.faces), region: PixelRect(whole: detection.size, scale: 8),
        faces: Array(detection.faces.indices), crop: 0,
        colorProfile: session.header.fits(.rgb) ? session.header.profile : nil, exif: nil, path: overview.path)
      return (detection, picture)
    }
  }

  /// Looks at a picture and decides which regions are wanted.
  ///
  /// - Parameters:
  ///   - source: The picture.
  ///   - search: Whom the crops are for, and what happens without anyone.
  ///   - composition: How regions are composed around them.
  ///   - allowsDamage: Whether a damaged or truncated picture is searched as far as it can be read.
  ///   - progress: Called from the thread that works.
  /// - Throws: Any ``FaceCropError``; a picture without a face is one only under ``NoFacePolicy/fail``.
  public func plan(
    for source: ImageSource, search: FaceSearch = FaceSearch(), composition: Composition = Composition(),
    allowsDamage: Bool = false, progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> CropPlan {
    try search.check()
    try composition.check()
    return try await run(source, allowsDamage: allowsDamage, progress: progress, phases: [.look, .detect]) {
      (session, job) throws(FaceCropError) in
      try decide(look(session, search, for: composition, job), search, composition)
    }
  }

  /// Decodes the regions of a plan at full quality.
  ///
  /// - Parameters:
  ///   - plan: Made by ``plan(for:search:composition:allowsDamage:progress:)`` for this picture, in this process or another, or edited.
  ///   - source: The picture.
  ///   - output: What comes out: sizes, shape, fill, colors, metadata.
  ///   - allowsDamage: Whether a damaged or truncated picture is rendered as far as it can be read, with a ``CropWarning``.
  ///   - progress: Called from the thread that works.
  /// - Returns: All crops together, which ``Limits/resultBytes`` bounds; ``crops(of:plan:request:progress:)`` gives them one by one.
  /// - Throws: Any ``FaceCropError``; ``FaceCropError/planMismatch(plan:picture:)`` if the picture has another size.
  public func render(
    _ plan: CropPlan, from source: ImageSource, output: CropOutput = CropOutput(), allowsDamage: Bool = false,
    progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> CropResult {
    try await run(source, allowsDamage: allowsDamage, progress: progress) { (session, job) throws(FaceCropError) in
      try render(plan, session, output, job)
    }
  }

  /// Both phases.
  ///
  /// - Returns: All crops together, which ``Limits/resultBytes`` bounds; ``crops(of:plan:request:progress:)`` gives them one by one.
  /// - Throws: Any ``FaceCropError``.
  public func crop(
    _ source: ImageSource, request: CropRequest = CropRequest(), progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> CropResult {
    try request.check()
    return try await run(
      source, allowsDamage: request.allowsDamage, progress: progress, phases: [.look, .detect, .render]
    ) {
      (session, job) throws(FaceCropError) in
      let detection = try look(session, request.search, for: request.composition, job)
      let plan = try decide(detection, request.search, request.composition)
      var result = try render(plan, session, request.output, job)
      result.warnings += plan.warnings(request.search, request.composition)
      result.lookPath = detection.path
      return result
    }
  }

  // MARK: The pipeline

  /// Runs `body` as a job of its own over one reading of the picture.
  ///
  /// - Parameter phases: those that it reports; none where there is but one.
  func run<Result: Sendable>(
    _ source: ImageSource, allowsDamage: Bool, on threads: JobThreads = .shared, abandonment: Abandonment? = nil,
    progress: (@Sendable (CropProgress) -> Void)?, phases: Set<CropProgress.Phase> = [],
    _ body: @escaping @Sendable (any ImageSession, Job) throws(FaceCropError) -> Result
  ) async throws(FaceCropError) -> Result {
    try await Job.run(limits: limits, on: threads, abandonment: abandonment, progress: progress, phases: phases) {
      (job) throws(FaceCropError) in
      try source.withBytes(limits: limits, job: job) { (bytes, isFileMapping) throws(FaceCropError) in
        let fileBytes = bytes.count
        return try Codecs.withSession(
          bytes, isFileMapping: isFileMapping, allowsDamage: allowsDamage, job: job
        ) { (session) throws(FaceCropError) in
          try session.checkHeader(fileBytes: fileBytes, limits)
          try session.admit()
          return try body(session, job)
        }
      }
    }
  }

  /// Look: decode small, turn upright, detect.
  ///
  /// - Parameters:
  ///   - findsHeads: Whether the heads of the faces that are searched for are found though no region is placed by them.
  ///   - seen: gets the picture that is searched.
  func look(
    _ session: any ImageSession, _ search: FaceSearch, for composition: Composition = Composition(), _ job: Job,
    findsHeads: Bool = false, seen: (Decoded<PixelBuffer>) -> Void = { _ in }
  ) throws(FaceCropError) -> Detection {
    let preparation = Preparation(of: detector)
    let decoded: Decoded<PixelBuffer>
    do {
      decoded = try overview(of: session, format: detector.input.format.opaque)
    } catch {
      preparation.abandon()
      throw error
    }
    let overview = decoded.value
    seen(decoded)
    let ready = try preparation.ready()
    try job.check()

    job.report(.detect, 0, of: 1)
    // One search for every request: the faces do not depend on who is wanted.
    func found(for purpose: DetectionPurpose) throws(FaceCropError) -> [Face] {
      try FaceCropError.typed { try ready.faces(in: overview, for: purpose) }.filter(\.isValid)
    }
    var faces = try found(for: .allFaces)
    var image = overview
    let size = session.header.displaySize
    if let plan = TilePlan(for: size, faces: faces, most: limits.tiles) {
      let tiled = try self.search(plan, of: session, found: faces, by: ready, job)
      (faces, image) = (tiled.faces, tiled.image)
    }
    faces.sort(by: Face.precedes)
    let describer = FaceDescriber(in: image, by: personNetworks)
    faces = try describer.withSharpness(faces)
    let framed = Set(search.groups(of: faces, in: size).joined())
    if composition.levelsEyes { faces = try withExactLandmarks(faces, in: image, size, search, by: ready) }
    if composition.needsHeads || findsHeads { faces = try describer.withHeads(faces, of: framed) }
    var possibleFaces: [Face] = []
    if faces.isEmpty, search.noFace == .maybe {
      possibleFaces = try found(for: .possibleFaces).sorted(by: Face.precedes)
    }
    possibleFaces = try describer.withHeadAndShoulders(possibleFaces)
    job.report(.detect, 1, of: 1)
    try job.check()

    let header = session.header
    return Detection(
      size: header.displaySize, orientation: header.orientation, detector: detector.name, faces: faces,
      possibleFaces: possibleFaces,
      attention: faces.isEmpty && search.noFace == .attention ? try overview.attention() : nil,
      warnings: decoded.warnings, path: decoded.path)
  }

  /// The small picture, upright, at the size at which it is searched.
  func overview(
    of session: any ImageSession, format: PixelBuffer.Format
  ) throws(FaceCropError) -> Decoded<PixelBuffer> {
    let overview = try session.overview(
      OverviewRequest(format: format, smallest: detector.input.sufficientSide))
    return overview.with(overview.value.upright(session.header.orientation))
  }

  /// The faces, with a closer look at those that are to be leveled.
  private func withExactLandmarks(
    _ faces: [Face], in overview: PixelBuffer, _ picture: PixelSize, _ search: FaceSearch,
    by detector: any ReadyFaceDetector
  ) throws(FaceCropError) -> [Face] {
    var faces = faces
    for group in search.groups(of: faces, in: picture) where group.count == 1 {
      let exact = try FaceCropError.typed { try detector.faces(in: overview, for: .landmarks(of: faces[group[0]])) }
      if let face = exact.first, face.isValid { faces[group[0]] = face }
    }
    return faces
  }

  /// Decide: a pure function of what was seen.
  func decide(
    _ detection: Detection, _ search: FaceSearch, _ composition: Composition
  ) throws(FaceCropError) -> CropPlan {
    let possibleFace =
      search.noFace == .maybe
      ? detection.possibleFaces.first { search.isLargeEnough($0, in: detection.size) } : nil
    return CropPlan(
      source: detection.size, detector: detection.detector, faces: detection.faces, possibleFace: possibleFace,
      crops: try CropPlanner().crops(
        for: detection.faces, in: detection.size, possibleFace: possibleFace, attention: detection.attention,
        search: search, composition: composition))
  }

  /// Render: decode the regions, turn them upright, bring them to size; one after the other.
  ///
  /// - Parameters:
  ///   - give: gets each crop but the last.
  /// - Returns: the last crop, for which the picture is not needed any more, and every warning.
  func render(
    _ plan: CropPlan, _ session: any ImageSession, _ output: CropOutput, _ job: Job,
    give: (RenderedCrop) throws(FaceCropError) -> Void
  ) throws(FaceCropError) -> (last: RenderedCrop?, warnings: [CropWarning]) {
    let header = session.header
    try check(plan, for: header)
    try output.check()
    var last: RenderedCrop?
    var warnings: [CropWarning] = []
    // Of the picture, by the last region, which knows most.
    var pictureWarnings = header.warnings
    var dropsProfile = false
    let metadata = try KeptMetadata(
      of: header, by: output.metadata, resolution: output.resolution, sidecar: output.sidecar, job)
    let coloring = Coloring(output.color, from: header.profile, job)
    let parts = plan.parts(for: output.sizes)
    try check(parts, of: plan, session, output)
    var gainMap = try GainMapRenderer(of: session, by: output.gainMap, job)
    for (index, part) in parts.enumerated() {
      let renderer = RegionRenderer(
        part.crop, in: plan.source, fill: output.fill, shape: output.shape, session: session)
      let sizes = part.sizes.map { $0.pixels(for: renderer.outputSize, enlarges: output.enlarges) }
      var shares: [PixelSize: Double] = [:]
      for (size, made) in zip(part.sizes, sizes) {
        let asked = size.pixels(for: renderer.outputSize, enlarges: true)
        if asked != made { warnings.append(.smaller(asked: asked, made: made)) }
        if asked != made, output.keepsPrintedSize { shares[made] = Double(made.longSide) / Double(asked.longSide) }
      }
      let decoded = try renderer.pictures(
        sizes: sizes.isEmpty ? [renderer.outputSize] : sizes, limits: limits, isLast: index == parts.count - 1,
        progress: ProgressSpan(job: job, phase: .render, index: index, count: parts.count))
      var pictures = decoded.value
      pictureWarnings = decoded.warnings
      try job.check()
      // Taken out, so that the pixels are no one else's and are converted where they are.
      pictures.reverse()
      while let picture = pictures.popLast() {
        let size = picture.size
        let (colored, profile) = try coloring.apply(to: picture)
        let pixels = output.shape == .circle ? colored.cutToEllipse() : colored
        let colorProfile = header.fits(pixels.format) ? profile : nil
        // A profile of gray does not describe the colors that a circle's pixels have.
        dropsProfile = dropsProfile || output.color == .keep && header.profile != nil && colorProfile == nil
        let exif = metadata.exif(size: size, colorsAreConverted: header.profile != nil && profile == nil)
        let map = try gainMap.part(
          header.orientation.stored(renderer.region, in: header.size), output: header.orientation.applied(to: size),
          isPlain: renderer.showsRegionAlone && output.shape == .rectangle, turned: header.orientation)
        let made = RenderedCrop(
          pixels: pixels, region: renderer.region, faces: part.crop.faces, crop: part.index, colorProfile: colorProfile,
          exif: exif, xmp: metadata.xmp,
          resolution: metadata.resolution.map { max($0 * (shares[size] ?? 1), Resolution.range.lowerBound) },
          gainMap: map, path: decoded.path, view: renderer.view)
        if index == parts.count - 1, pictures.isEmpty { last = made } else { try give(made) }
      }
    }
    if let sensor = header.raw?.sensorSize, header.size.area < 0.8 * sensor.area,
      warnings.contains(where: { if case .smaller = $0 { true } else { false } })
    {
      warnings.append(.smallPreview(preview: header.size, sensor: sensor))
    }
    if header.isAnimated, last != nil { warnings.insert(.firstFrameOnly, at: 0) }
    warnings += gainMap.warnings
    if dropsProfile { warnings.append(.profileDropped) }
    if metadata.losesCredits { warnings.append(.creditsDropped) }
    return (last, pictureWarnings + warnings)
  }

  /// Whether every output is as large as it has to be.
  private func check(
    _ parts: [CropPlan.Part], of plan: CropPlan, _ session: any ImageSession, _ output: CropOutput
  ) throws(FaceCropError) {
    for part in parts {
      let whole = RegionRenderer(part.crop, in: plan.source, fill: output.fill, session: session).outputSize
      let sizes = part.sizes.map { $0.pixels(for: whole, enlarges: output.enlarges) }
      for size in sizes.isEmpty ? [whole] : sizes where size.longSide < output.smallestSide {
        throw .tooSmall(size, allowedSide: output.smallestSide)
      }
    }
  }

  private func render(
    _ plan: CropPlan, _ session: any ImageSession, _ output: CropOutput, _ job: Job
  ) throws(FaceCropError) -> CropResult {
    let (crops, warnings) = try together(bytesOf: \.pixels.bytes.count) { (give) throws(FaceCropError) in
      try render(plan, session, output, job, give: give)
    }
    return CropResult(plan: plan, crops: crops, warnings: warnings)
  }

  /// A plan may come from anyone.
  func check(_ plan: CropPlan, for header: ImageHeader) throws(FaceCropError) {
    guard plan.source == header.displaySize else { throw .planMismatch(plan: plan.source, picture: header.displaySize) }
    do throws(CropPlan.Fault) {
      try plan.check()
    } catch {
      throw .invalidRequest("\(error.clause)")
    }
  }
}
