/// A cropper that crops photos to the faces in them, in two phases.
///
/// The detection pass, ``plan(for:search:composition:allowsDamage:progress:)``, decodes a small version of the image,
/// finds faces, and chooses crop regions. The final pass, ``render(_:from:output:allowsDamage:progress:)``, decodes
/// only these regions, at full quality. ``crop(_:request:progress:)`` runs both. If the format allows, it reads the
/// file once. ``crops(of:plan:request:progress:)`` returns many crops one by one.
///
/// ```swift
/// let cropper = FaceCropper()
/// let result = try await cropper.crop(.file("portrait.jpg"))
/// let jpeg = try await cropper.encode(result.crops[0], as: .jpeg(quality: 85))
/// ```
///
/// A cropper is thread-safe, and works on its own threads, outside Swift's cooperative pool. If you cancel the task,
/// decoding and encoding end within milliseconds with ``FaceCropError/cancelled``. Detection ends after the current run
/// of the detector. Progress closures run on the working thread, and delay it.
public struct FaceCropper: Sendable {
  /// The detector that finds faces.
  public let detector: any FaceDetector
  /// The limits for each input.
  public let limits: Limits
  /// The networks that find the limits of heads.
  let personNetworks: ObjectPool<PersonNetwork>

  /// Creates a cropper. Keep it, because it holds the networks' memory.
  ///
  /// - Parameters:
  ///   - detector: The detector. Default the network YuNet.
  ///   - limits: The limits for each input. Default `Limits()`.
  ///   - keepsMemory: Whether the head network keeps its memory, about 2 MiB for each thread, for the next image.
  ///     Default true.
  public init(
    detector: any FaceDetector = YuNetFaceDetector(), limits: Limits = Limits(), keepsMemory: Bool = true
  ) {
    self.detector = detector
    self.limits = limits
    personNetworks = ObjectPool(keepsItems: keepsMemory) { () throws(FaceCropError) in try PersonNetwork() }
  }

  private init(_ other: FaceCropper, limits: Limits) {
    detector = other.detector
    self.limits = limits
    personNetworks = other.personNetworks
  }

  /// Returns a cropper whose calls share one deadline. Calls that miss it throw an error with ``Limits/Kind/time``.
  ///
  /// Detection, crops, and encoding of one image then share one time. It includes the time that a reader of
  /// ``crops(of:plan:request:progress:)`` takes.
  ///
  /// ```swift
  /// let cropper = cropper.ending(by: .now + .seconds(10))
  /// ```
  ///
  /// An earlier deadline of this cropper stays.
  public func ending(by deadline: ContinuousClock.Instant) -> FaceCropper {
    var limits = limits
    if limits.deadline.map({ $0.end > deadline }) ?? true { limits.deadline = Limits.Deadline(deadline) }
    return FaceCropper(self, limits: limits)
  }

  /// Returns a cropper whose calls together take at most the limit of processor time, and four times as much wall-clock
  /// time from now on.
  package func sharingTime() -> FaceCropper {
    var limits = limits
    limits.spent = SpentTime()
    return FaceCropper(self, limits: limits).ending(by: .now + limits.longestTime)
  }

  /// Returns a cropper with other limits that shares the detector and the networks' memory. A deadline stays.
  public func limited(to limits: Limits) -> FaceCropper {
    var limits = limits
    let own = self.limits.deadline
    if let own, limits.deadline.map({ $0.end > own.end }) ?? true { limits.deadline = own }
    return FaceCropper(self, limits: limits)
  }

  /// Reads the image's header, and decodes no pixel. It reads the header and the lengths of later segments. It also
  /// reads the last 256 KiB of a PNG, and all markers of a JPEG with several scans.
  ///
  /// - Throws: ``FaceCropError/unreadable(_:)``, ``FaceCropError/unsupported(_:)``, ``FaceCropError/corrupt(_:)`` or
  ///   ``FaceCropError/overLimit(_:actual:allowed:)``, like a crop. It does not check the number of scans of a JPEG, or
  ///   the image data.
  public func info(of source: ImageSource) async throws(FaceCropError) -> ImageInfo {
    try await info(of: source, on: .shared, admission: nil)
  }

  /// Reads the image's header on the given threads.
  func info(
    of source: ImageSource, on threads: JobThreads, admission: Admission?
  ) async throws(FaceCropError) -> ImageInfo {
    try await Job.run(limits: limits, on: threads, admission: admission, progress: nil) {
      (job) throws(FaceCropError) in
      try source.withBytes(limits: limits, job: job) { (bytes, isFileMapping) throws(FaceCropError) in
        try ImageInfo(reading: bytes, page: source.page, isFileMapping: isFileMapping, job: job)
      }
    }
  }

  /// Finds the faces in an image.
  ///
  /// - Parameters:
  ///   - source: The image.
  ///   - search: The faces that get heads and landmarks. All faces are found in any case. ``NoFacePolicy/attention``
  ///     adds the salient area of an image without a face.
  ///   - alignsEyes: Whether the faces with a region of their own get exact landmarks, to align the eyes. Default
  ///     false.
  ///   - findsHeads: Whether another network finds the heads of these faces. Each costs half a detection pass. Default
  ///     false.
  ///   - allowsDamage: Whether to search the readable part of a damaged or truncated image, with a ``CropWarning``.
  ///     Default false.
  ///   - progress: Called on the working thread.
  /// - Throws: Any ``FaceCropError``. An image without a face is no error.
  public func detect(
    in source: ImageSource, search: FaceSearch = FaceSearch(), alignsEyes: Bool = false, findsHeads: Bool = false,
    allowsDamage: Bool = false, progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> Detection {
    try search.check()
    return try await run(source, allowsDamage: allowsDamage, progress: progress, phases: [.overview, .detect]) {
      (session, job) throws(FaceCropError) in
      try look(
        session, search.findingAllFaces, for: Composition(alignsEyes: alignsEyes), job, findsHeads: findsHeads,
        readsNames: true)
    }
  }

  /// Finds the faces, like ``detect(in:search:alignsEyes:findsHeads:allowsDamage:progress:)``, and draws boxes, numbers,
  /// scores, and landmarks into a copy of the image.
  ///
  /// - Returns: The detection, and the copy with the drawing.
  /// - Throws: Any ``FaceCropError``.
  public func preview(
    of source: ImageSource, search: FaceSearch = FaceSearch(), alignsEyes: Bool = false, allowsDamage: Bool = false
  ) async throws(FaceCropError) -> DetectionPreview {
    try search.check()
    return try await run(source, allowsDamage: allowsDamage, progress: nil) { (session, job) throws(FaceCropError) in
      let composition = Composition(alignsEyes: alignsEyes)
      let detection = try look(
        session, search.findingAllFaces, for: composition, job, findsHeads: true, readsNames: true)
      var plan = CropPlan(showing: .whole, of: detection.size)
      (plan.rotation, plan.animationFrame) = (detection.rotation, detection.animationFrame)
      let output = CropOutput(sizes: [.longSide(1_280)], gainMap: .drop)
      var picture = try render(plan, session, output, job).crops[0]
      // The drawing is in sRGB, also on a gray image.
      picture.pixels = try picture.pixels.marked(with: detection.faces, numberedBy: search.order)
      (picture.faces, picture.colorProfile) = (Array(detection.faces.indices), nil)
      return DetectionPreview(detection: detection, picture: picture)
    }
  }

  /// Finds faces, and chooses crop regions, like ``plan(for:request:progress:)``, for a request of these parts. It drops
  /// the warnings.
  public func plan(
    for source: ImageSource, search: FaceSearch = FaceSearch(), composition: Composition = Composition(),
    allowsDamage: Bool = false, progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> CropPlan {
    let request = CropRequest(search: search, composition: composition, allowsDamage: allowsDamage)
    return try await plan(for: source, request: request, progress: progress).plan
  }

  /// Decodes the regions of a plan at full quality.
  ///
  /// - Parameters:
  ///   - plan: A plan for this image from ``plan(for:search:composition:allowsDamage:progress:)``, in any process, or
  ///     an edited one.
  ///   - source: The image.
  ///   - output: The sizes, shape, fill, colors, and metadata.
  ///   - allowsDamage: Whether to render the readable part of a damaged or truncated image, with a ``CropWarning``.
  ///     Default false.
  ///   - progress: Called on the working thread.
  /// - Returns: All crops together, bounded by ``Limits/resultBytes``. ``crops(of:plan:request:progress:)`` returns
  ///   them one by one.
  /// - Throws: Any ``FaceCropError``; ``FaceCropError/planMismatch(plan:image:)`` if the image has another size.
  public func render(
    _ plan: CropPlan, from source: ImageSource, output: CropOutput = CropOutput(), allowsDamage: Bool = false,
    progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> CropResult<RenderedCrop> {
    try await run(source, allowsDamage: allowsDamage, progress: progress) { (session, job) throws(FaceCropError) in
      try render(plan, session, output, job)
    }
  }

  /// Finds faces, and renders the crops.
  ///
  /// - Parameters:
  ///   - source: The image.
  ///   - request: The faces, composition, and outputs. Default all faces in one region, at full resolution.
  ///   - progress: Called on the working thread.
  /// - Returns: All crops together, bounded by ``Limits/resultBytes``. ``crops(of:plan:request:progress:)`` returns
  ///   them one by one.
  /// - Throws: Any ``FaceCropError``.
  public func crop(
    _ source: ImageSource, request: CropRequest = CropRequest(), progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> CropResult<RenderedCrop> {
    try request.check()
    return try await run(
      source, allowsDamage: request.allowsDamage, progress: progress, phases: [.overview, .detect, .render]
    ) {
      (session, job) throws(FaceCropError) in
      let planned = try planned(session, request, job)
      var result = try render(planned.plan, session, request.output, job)
      result.warnings += planned.warnings
      result.detectionPath = planned.detectionPath
      return result
    }
  }

  // MARK: The pipeline

  /// Runs `body` as a job over one opening of the image. It reports `phases`, none for a single phase.
  func run<Result: Sendable>(
    _ source: ImageSource, allowsDamage: Bool, on threads: JobThreads = .shared, admission: Admission? = nil,
    progress: (@Sendable (CropProgress) -> Void)?, phases: Set<CropProgress.Phase> = [],
    _ body: @escaping @Sendable (any ImageSession, Job) throws(FaceCropError) -> Result
  ) async throws(FaceCropError) -> Result {
    try await Job.run(limits: limits, on: threads, admission: admission, progress: progress, phases: phases) {
      (job) throws(FaceCropError) in
      try source.withBytes(limits: limits, job: job) { (bytes, isFileMapping) throws(FaceCropError) in
        let fileBytes = bytes.count
        return try Codecs.withSession(
          bytes, page: source.page, isFileMapping: isFileMapping, allowsDamage: allowsDamage, job: job
        ) { (session) throws(FaceCropError) in
          try session.checkHeader(fileBytes: fileBytes, limits)
          try session.admit()
          return try body(session, job)
        }
      }
    }
  }

  /// Runs the detection pass over one image: decodes a small version, turns it upright, and detects faces. It calls
  /// `seen` with the overview. With `findsHeads`, it finds heads even if no region needs them. With `readsNames`, it
  /// reads the names of people even if the selection does not need them. Without `usesThumbnail`, it searches the pixels
  /// of the image itself, never those of a thumbnail in the file. Only the `mostMeshes` largest faces get a mesh.
  func lookAtImage(
    _ session: any ImageSession, _ search: FaceSearch, for composition: Composition = Composition(), _ job: Job,
    findsHeads: Bool = false, readsNames: Bool = false, usesThumbnail: Bool = true, mostMeshes: Int = .max,
    seen: (Decoded<PixelBuffer>) -> Void = { _ in }
  ) throws(FaceCropError) -> Detection {
    let preparation = Preparation(of: detector)
    let decoded: Decoded<PixelBuffer>
    do {
      decoded = try overview(of: session, format: detector.input.format.opaque, usesThumbnail: usesThumbnail)
    } catch {
      preparation.abandon()
      throw error
    }
    let ready = try preparation.ready()
    try job.check()

    job.report(.detect, 0, of: 1)
    func detected(in overview: PixelBuffer, for purpose: DetectionPurpose) throws(FaceCropError) -> [Face] {
      try FaceCropError.typed { try ready.faces(in: overview, for: purpose) }.compactMap(\.cutToImage)
    }
    let findsAll = search.needsAllFaces
    var found: FoundFaces
    var upright = UprightSearch.Result(image: decoded.value, faces: [])
    if search.upright == .off, let detector = ready as? any PersonDetector {
      found = try detector.search(decoded.value, findsAll: findsAll).map { $0.compactMap(\.cutToImage) }
    } else {
      upright.faces = try detected(in: decoded.value, for: .allFaces)
      if search.upright == .auto {
        let turns = UprightSearch(detector: ready, networks: personNetworks, job: job)
        upright = try turns(upright.image, upright.faces)
      }
      found = FoundFaces(rivals: upright.faces)
    }
    let (overview, turn) = (upright.image, upright.turn)
    let own = session.header
    let session = session.turned(by: turn)
    seen(decoded.with(overview))
    let size = session.header.displaySize
    var describer = FaceDescriber(in: overview, by: personNetworks)
    // The person is chosen before the search in tiles, which only requests for more faces need.
    let rivals = found.rivals.sorted(by: Face.precedes)
    let measured = try describer.withSharpness(rivals)
    let person = FaceSelection.prominent.groups(of: measured).first.map { rivals[$0[0]] }
    var faces = measured + found.others
    var image = overview
    if let plan = TilePlan(for: size, faces: faces, most: limits.tiles) {
      found.areComplete = findsAll || person == nil
      if found.areComplete {
        let tiled = try self.search(plan, of: session, found: found.all, by: ready, job)
        (faces, image) = (tiled.faces, tiled.image)
        if let person { faces = faces.without(person) + [person] }
        describer = FaceDescriber(in: image, by: personNetworks)
      }
    }
    faces = try describer.withSharpness(faces.sorted(by: Face.precedes))
    let chosen = faces.firstIndex { $0.box == person?.box } ?? FaceSelection.prominent.groups(of: faces).first?[0]
    let regions = try readsNames || search.faces.needsNames ? regions(of: own, turn, search.regions, job) : []
    let named = FaceRegion.named(faces, by: regions)
    // A region without a face frames only if it was asked for.
    faces = search.faces.needsNames ? named : Array(named.prefix(faces.count))
    let groups = search.groups(of: faces, in: size, chosen: chosen)
    let framed = Set(groups.joined())
    let alone = composition.needsExactLandmarks ? Set(groups.filter { $0.count == 1 }.joined()) : []
    if search.measuresFinely, !framed.isEmpty {
      image = try self.image(size.scaled(toLongSide: min(size.longSide, ShotQuality.side)), of: session).inColor()
      let sharpness = FaceSharpness(in: image, side: ShotQuality.faceSide)
      for index in framed { faces[index].sharpness = try sharpness.score(of: faces[index]) }
    }
    let meshed = search.findsMeshes ? framed : alone
    for index in FaceOrder.size.indices(of: faces).filter(meshed.contains).prefix(mostMeshes) {
      try job.check()
      guard var face = try detected(in: image, for: .landmarks(of: faces[index])).first else { continue }
      (face.name, face.sharpness) = (faces[index].name, face.sharpness ?? faces[index].sharpness)
      faces[index] = face
    }
    if composition.needsHeads || findsHeads {
      faces = try describer.withHeads(faces, of: framed, areFine: composition.needsFineHeads)
    }
    for index in faces.indices where !search.findsMeshes { faces[index].mesh = nil }
    let known = search.upright == .auto && turn == .none ? upright : nil
    let possibleFaces = try possibleFaces(beside: chosen.map { faces[$0] }, search, in: overview, known, by: ready, job)
    job.report(.detect, 1, of: 1)
    try job.check()

    let header = session.header
    var detection = Detection(
      size: header.displaySize, orientation: header.orientation, rotation: turn, detector: detector.name, faces: faces,
      chosen: possibleFaces.isEmpty ? chosen : nil, facesAreComplete: found.areComplete, possibleFaces: possibleFaces,
      attention: faces.isEmpty && search.noFace == .attention ? try overview.attention() : nil, regions: regions,
      warnings: decoded.faults.inOrder, turnObstacle: upright.obstacle, path: decoded.path)
    detection.warnings += detection.turnWarnings
    return detection
  }

  /// Decodes the overview, upright, at the size for detection.
  func overview(
    of session: any ImageSession, format: PixelBuffer.Format, usesThumbnail: Bool = true
  ) throws(FaceCropError) -> Decoded<PixelBuffer> {
    let input = detector.input
    let overview = try session.overview(
      OverviewRequest(
        format: format, smallest: input.smallestSide, isExact: input.isExact, allowsThumbnail: usesThumbnail))
    return overview.with(overview.value.upright(session.header.orientation))
  }

  /// Runs the final pass: decodes each region, turns it upright, and resizes it. It calls `give` with each crop but the
  /// last. It returns the last one, which no longer needs the image, and every warning. With `areTogether`, it checks
  /// the bytes of all crops before it decodes any.
  func render(
    _ plan: CropPlan, _ session: any ImageSession, _ output: CropOutput, _ job: Job, areTogether: Bool = false,
    give: (RenderedCrop) throws(FaceCropError) -> Void
  ) throws(FaceCropError) -> (last: RenderedCrop?, warnings: [CropWarning]) {
    let session = try session.atFrame(plan.animationFrame, job).turned(by: plan.rotation)
    var pass = try finalPass(over: session, plan, output, job)
    if areTogether { try limits.check(.resultBytes, pass.leastBytes) }
    let last = try pass.crops(in: session, give)
    return (last, pass.warnings(hasCrops: last != nil))
  }

  /// Creates the final pass over an image or an animation, after its plan and output are checked.
  func finalPass(
    over session: any ImageSession, _ plan: CropPlan, _ output: CropOutput, sampling: FinalPass.Sampling = .fine,
    _ job: Job
  ) throws(FaceCropError) -> FinalPass {
    try check(plan, for: session.header)
    try output.check()
    return try FinalPass(
      over: session, Finisher(plan, of: session.header, output, personNetworks, job), sampling: sampling)
  }

  private func render(
    _ plan: CropPlan, _ session: any ImageSession, _ output: CropOutput, _ job: Job
  ) throws(FaceCropError) -> CropResult<RenderedCrop> {
    var crops: [RenderedCrop] = []
    var bytes = 0
    func take(_ crop: RenderedCrop) throws(FaceCropError) {
      bytes += crop.pixels.bytes.count
      try limits.check(.resultBytes, bytes)
      crops.append(crop)
    }
    let (last, warnings) = try render(plan, session, output, job, areTogether: true, give: take)
    if let last { try take(last) }
    return CropResult(plan: plan, crops: crops, warnings: warnings)
  }

  /// Checks a plan, which can be untrusted, against an image.
  func check(_ plan: CropPlan, for header: ImageHeader) throws(FaceCropError) {
    guard plan.source == header.displaySize else { throw .planMismatch(plan: plan.source, image: header.displaySize) }
    do throws(CropPlan.ValidationError) {
      try plan.check()
    } catch {
      throw .invalidRequest(InvalidRequest(error.clause, field: "plan.\(error.member)"))
    }
  }
}
