/// Crops photographs to the faces in them, in two phases.
///
/// The first, ``plan(for:request:progress:)``, decodes the picture small, finds the faces and decides which regions are
/// wanted. The second, ``render(_:from:request:progress:)``, decodes only those, at full quality.
/// ``crop(_:request:progress:)`` does both over one reading of the file where its kind allows.
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
  let detector: any FaceDetector
  let limits: Limits

  /// - Parameters:
  ///   - detector: Finds the faces; by default YuNet and OpenCV's Haar cascades. Keep the cropper, or the detector: it holds what
  ///     was loaded.
  ///   - limits: What an input may cost.
  public init(detector: any FaceDetector = AutoFaceDetector(), limits: Limits = Limits()) {
    self.detector = detector
    self.limits = limits
  }

  /// What a picture's header says. No pixel is decoded, and no more of a file is read than its header, the lengths of some
  /// segments behind it, and, of a PNG, the last 256 KiB.
  ///
  /// - Throws: ``FaceCropError/unreadable(_:)``, ``FaceCropError/unsupported(_:)``, ``FaceCropError/corrupt(_:)`` or
  ///   ``FaceCropError/overLimit(_:actual:allowed:)``, where a crop would too.
  public func info(of source: ImageSource) async throws(FaceCropError) -> ImageInfo {
    try await Job.run(limits: limits, progress: nil) { (job) throws(FaceCropError) in
      try source.withBytes(limits: limits) { (bytes, isFileMapping) throws(FaceCropError) in
        try ImageInfo(reading: bytes, isFileMapping: isFileMapping, job: job)
      }
    }
  }

  /// Finds the faces in a picture.
  ///
  /// - Parameters:
  ///   - source: The picture.
  ///   - request: Its word on damage counts.
  ///   - progress: Called from the thread that works.
  /// - Throws: Any ``FaceCropError``; a picture without a face is none.
  public func detect(
    in source: ImageSource, request: CropRequest = CropRequest(), progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> Detection {
    try await run(source, request, progress: progress) { (session, job) throws(FaceCropError) in
      try look(session, request, job)
    }
  }

  /// What ``detect(in:request:progress:)`` finds, drawn into the picture at the size at which it was searched: boxes, scores,
  /// landmarks.
  ///
  /// - Throws: Any ``FaceCropError``.
  public func preview(
    of source: ImageSource, request: CropRequest = CropRequest()
  ) async throws(FaceCropError) -> (detection: Detection, picture: RenderedCrop) {
    try await run(source, request, progress: nil) { (session, job) throws(FaceCropError) in
      let detection = try look(session, request, job)
      let overview = try overview(of: session, format: .rgb)
      let picture = RenderedCrop(
        pixels: try overview.marked(with: detection.faces), region: PixelRect(whole: detection.size, scale: 8),
        faces: Array(detection.faces.indices), crop: 0,
        colorProfile: session.header.fits(.rgb) ? session.header.profile : nil, exif: nil,
        path: session.lastPath
      )
      return (detection, picture)
    }
  }

  /// Looks at a picture and decides which regions are wanted.
  ///
  /// - Throws: Any ``FaceCropError``; a picture without a face is one only under ``NoFacePolicy/fail``.
  public func plan(
    for source: ImageSource, request: CropRequest = CropRequest(), progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> CropPlan {
    try await run(source, request, progress: progress) { (session, job) throws(FaceCropError) in
      try decide(look(session, request, job), request)
    }
  }

  /// Decodes the regions of a plan at full quality.
  ///
  /// - Parameters:
  ///   - plan: Made by ``plan(for:request:progress:)`` for this picture, in this process or another, or edited.
  ///   - source: The picture.
  ///   - request: Its metadata policy and its word on damage count; the rest is in the plan.
  ///   - progress: Called from the thread that works.
  /// - Throws: Any ``FaceCropError``; ``FaceCropError/planMismatch(plan:picture:)`` if the picture has another size.
  public func render(
    _ plan: CropPlan, from source: ImageSource, request: CropRequest = CropRequest(),
    progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> CropResult {
    try await run(source, request, progress: progress) { (session, job) throws(FaceCropError) in
      try render(plan, session, request, job)
    }
  }

  /// Both phases.
  ///
  /// - Throws: Any ``FaceCropError``.
  public func crop(
    _ source: ImageSource, request: CropRequest = CropRequest(), progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> CropResult {
    try await run(source, request, progress: progress) { (session, job) throws(FaceCropError) in
      let detection = try look(session, request, job)
      var result = try render(decide(detection, request), session, request, job)
      result.lookPath = detection.path
      result.warnings += detector.warnings
      return result
    }
  }

  /// A crop as the bytes of a file.
  ///
  /// - Parameters:
  ///   - crop: One of a ``CropResult``.
  ///   - format: The file's, with its quality or level.
  ///   - background: Shows through what is transparent where the format knows no transparency. Default white.
  ///   - progress: Called from the thread that encodes.
  /// - Throws: ``FaceCropError/invalidRequest(_:)``, ``FaceCropError/outOfMemory`` or ``FaceCropError/cancelled``.
  public func encode(
    _ crop: RenderedCrop, as format: OutputFormat, background: BackgroundColor = .white,
    progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> [UInt8] {
    try await Job.run(limits: limits, progress: progress) { (job) throws(FaceCropError) in
      try Codecs.encode(crop, as: format, background: background, job: job)
    }
  }

  // MARK: The pipeline

  /// Runs `body` as a job of its own over one reading of the picture.
  func run<Result: Sendable>(
    _ source: ImageSource, _ request: CropRequest, progress: (@Sendable (CropProgress) -> Void)?,
    _ body: @escaping @Sendable (any ImageSession, Job) throws(FaceCropError) -> Result
  ) async throws(FaceCropError) -> Result {
    try await Job.run(limits: limits, progress: progress) { (job) throws(FaceCropError) in
      try source.withBytes(limits: limits) { (bytes, isFileMapping) throws(FaceCropError) in
        let fileBytes = bytes.count
        return try Codecs.withSession(
          bytes, isFileMapping: isFileMapping, allowsDamage: request.allowsDamage, job: job
        ) { (session) throws(FaceCropError) in
          try limits.check(session.header.size, fileBytes: fileBytes)
          try session.admit()
          return try body(session, job)
        }
      }
    }
  }

  /// Look: decode small, turn upright, detect.
  ///
  /// - Parameter seen: gets the picture that was searched.
  func look(
    _ session: any ImageSession, _ request: CropRequest, _ job: Job, seen: (PixelBuffer) -> Void = { _ in }
  ) throws(FaceCropError) -> Detection {
    let preparation = Preparation(of: detector)
    let overview: PixelBuffer
    let path: DecodePath
    do {
      overview = try self.overview(of: session, format: detector.pixelFormat.opaque)
      path = session.lastPath
    } catch {
      preparation.abandon()
      throw error
    }
    seen(overview)
    try preparation.wait()
    try job.check()

    job.report(.detect, 0, of: 1)
    var faces: [Face] = []
    if let error = FaceCropError.caught({
      faces = try request.faces == .largest ? detector.largestFaces(in: overview) : detector.faces(in: overview)
    }) {
      throw error
    }
    faces = faces.filter(\.isValid).sorted(by: Face.precedes)
    if request.levelsEyes { faces = try withExactLandmarks(faces, in: overview, request) }
    job.report(.detect, 1, of: 1)
    try job.check()

    let header = session.header
    return Detection(
      size: header.displaySize, orientation: header.orientation, detector: detector.name, faces: faces,
      attention: faces.isEmpty && request.noFace == .attention ? try overview.attention() : nil,
      warnings: session.sortedWarnings + detector.warnings, path: path)
  }

  /// The small picture, upright, at the size at which it is searched.
  func overview(
    of session: any ImageSession, format: PixelBuffer.Format
  ) throws(FaceCropError) -> PixelBuffer {
    try session.overview(format: format, smallest: detector.smallestOverview).upright(session.header.orientation)
  }

  /// The faces, with a closer look at those that are to be leveled.
  private func withExactLandmarks(
    _ faces: [Face], in overview: PixelBuffer, _ request: CropRequest
  ) throws(FaceCropError) -> [Face] {
    var faces = faces
    for group in request.faces.groups(of: faces) where group.count == 1 {
      if let error = FaceCropError.caught({
        let face = try detector.withExactLandmarks(faces[group[0]], in: overview)
        if face.isValid { faces[group[0]] = face }
      }) {
        throw error
      }
    }
    return faces
  }

  /// Decide: a pure function of what was seen.
  func decide(_ detection: Detection, _ request: CropRequest) throws(FaceCropError) -> CropPlan {
    CropPlan(
      source: detection.size, detector: detection.detector, faces: detection.faces,
      crops: try CropPlanner().crops(
        for: detection.faces, in: detection.size, attention: detection.attention, request: request))
  }

  /// Render: decode the regions, turn them upright, bring them to size.
  private func render(
    _ plan: CropPlan, _ session: any ImageSession, _ request: CropRequest, _ job: Job
  ) throws(FaceCropError) -> CropResult {
    let header = session.header
    try check(plan, for: header)
    guard request.sizes.allSatisfy(\.isValid) else { throw .invalidRequest("an output's sides are 1 to 65535 pixels") }
    var crops: [RenderedCrop] = []
    var warnings = session.sortedWarnings
    for (index, crop) in plan.crops.enumerated() {
      let renderer = RegionRenderer(crop, in: plan.source, edge: request.edge, session: session)
      let sizes = request.sizes.map { $0.pixels(for: renderer.outputSize, enlarges: request.enlarges) }
      for (size, made) in zip(request.sizes, sizes) {
        let asked = size.pixels(for: renderer.outputSize, enlarges: true)
        if asked != made { warnings.append(.smaller(asked: asked, made: made)) }
      }
      if index == plan.crops.count - 1 { session.expectLastRegion() }
      var pictures = try renderer.pictures(
        sizes: sizes.isEmpty ? [renderer.outputSize] : sizes, limits: limits, part: (index, plan.crops.count))
      try job.check()
      // Taken out, so that the pixels are no one else's and are converted where they are.
      pictures.reverse()
      while let picture = pictures.popLast() {
        let size = picture.size
        let (colored, profile) = try inColors(request.color, of: header, picture)
        let pixels = request.shape == .circle ? colored.cutToEllipse() : colored
        crops.append(
          RenderedCrop(
            pixels: pixels, region: renderer.region, faces: crop.faces, crop: index,
            colorProfile: header.fits(pixels.format) ? profile : nil,
            exif: header.exif.flatMap(EXIF.init)?.kept(by: request.metadata, size: size),
            path: session.lastPath))
      }
    }
    if request.levelsEyes { warnings += plan.crops.compactMap { plan.reasonNotLeveled($0) } }
    // A profile of gray does not describe the colors that a circle's pixels have.
    if request.color == .keep && header.profile != nil && crops.contains(where: { $0.colorProfile == nil }) {
      warnings.append(.profileDropped)
    }
    return CropResult(plan: plan, crops: crops, warnings: warnings)
  }

  /// A plan may come from anyone.
  func check(_ plan: CropPlan, for header: ImageHeader) throws(FaceCropError) {
    guard plan.source == header.displaySize else { throw .planMismatch(plan: plan.source, picture: header.displaySize) }
    guard plan.crops.allSatisfy({ $0.region.isValid && $0.hasUsableFrame && $0.hasUsableTurn }) else {
      throw .invalidRequest("a region of the plan lies outside the picture")
    }
  }

  /// A picture in the colors asked for, and the profile that describes them; nil is sRGB.
  func inColors(
    _ policy: ColorPolicy, of header: ImageHeader, _ picture: consuming PixelBuffer
  ) throws(FaceCropError) -> (PixelBuffer, [UInt8]?) {
    guard let profile = header.profile else { return (picture, nil) }
    // What cannot be converted goes on with its profile, for others to try.
    guard policy == .srgb, let conversion = try ColorConversion(from: profile, format: picture.format) else {
      return (picture, profile)
    }
    return (conversion.converted(picture), nil)
  }
}
