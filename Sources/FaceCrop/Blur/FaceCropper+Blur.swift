extension FaceCropper {
  /// Hides the faces in a whole image, and keeps everything else.
  ///
  /// In a JPEG file, only the blocks with hidden samples are encoded again; the coefficients of all others stay as they
  /// are, and so do progressive scans. Other formats are decoded and encoded again. Thumbnails, previews, gain maps, and
  /// maker notes are dropped, because they can show the faces. So are the names of people.
  ///
  /// The search misses few faces: it has a low threshold, and repeats in tiles. If an image lies sideways without a tag,
  /// it finds the faces of the upright image too, by the rules of ``UprightPolicy/auto``. The image is not rotated. With
  /// ``YuNetFaceDetector``, it repeats in small and rotated views, in which the image is mirrored beyond its edges, and
  /// enlarges crowds. If pixels are transparent, it also searches the colors without alpha, the image on black, and
  /// alpha. The faces of ``detect(in:search:alignsEyes:findsHeads:allowsDamage:progress:)`` come first in the plan, with
  /// the same numbers.
  ///
  /// ``CropWarning/doubtfulFaces(_:)`` lists hidden areas that may show no face. A given plan has the same warning, for
  /// the faces that its crops name. So it has none for a crop that was removed, or that has no face.
  ///
  /// - Parameters:
  ///   - source: The image.
  ///   - request: The faces, and the way to hide them.
  ///   - plan: A plan from an earlier call, which may be edited: each crop is a hidden area, and the faces of the
  ///     request do not count. So ``CropWarning/missingFaces(_:)`` never comes with a plan. Nil searches for faces.
  ///   - format: The format of the result. Nil keeps JPEG without encoding it again, and takes the usual format for
  ///     others: their own, or JPEG of quality 85.
  ///   - progress: Called on the working thread.
  /// - Throws: Any ``FaceCropError``. An image without a face is no error.
  public func blur(
    _ source: ImageSource, request: BlurRequest = BlurRequest(), plan: CropPlan? = nil,
    as format: OutputFormat? = nil,
    progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> BlurredImage {
    try request.check()
    return try await run(
      source, allowsDamage: request.allowsDamage, progress: progress, phases: [.overview, .detect, .render]
    ) { (session, job) throws(FaceCropError) in
      try blur(session, request, plan: plan, as: format, job)
    }
  }

  /// Finds the faces to hide, and returns the plan of ``blur(_:request:plan:as:progress:)``.
  ///
  /// - Throws: Any ``FaceCropError``.
  public func blurPlan(
    for source: ImageSource, request: BlurRequest = BlurRequest(),
    progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> CropPlan {
    try request.check()
    return try await run(source, allowsDamage: request.allowsDamage, progress: progress, phases: [.overview, .detect]) {
      (session, job) throws(FaceCropError) in
      let detection = try BlurSearch(cropper: self, session: session, job: job)()
      return try CropPlan(blur: request, of: detection)
    }
  }

  /// Hides the areas of a given plan, or else the faces of a `known` detection. Without both it searches for faces. It
  /// passes the detection to `looked` before the image is read again.
  func blur(
    _ session: any ImageSession, _ request: BlurRequest, plan given: CropPlan?, known: Detection? = nil,
    as format: OutputFormat?, _ job: Job, looked: (Detection) -> Void = { _ in }
  ) throws(FaceCropError) -> BlurredImage {
    let header = session.header
    let blocks = format == nil ? session as? any BlurSession : nil
    let made = format ?? session.format.usualOutput
    if blocks == nil { try made.imageFormat.check(header.displaySize) }
    var detectionPath: DecodePath?
    let plan: CropPlan
    if let given {
      guard given.rotation == .none else {
        throw .invalidRequest("a plan for hiding faces cannot rotate the image (make it without rotation)")
      }
      try check(given, for: header)
      plan = given
    } else {
      let detection = if let known { known } else { try BlurSearch(cropper: self, session: session, job: job)() }
      looked(detection)
      detectionPath = detection.path
      plan = try CropPlan(blur: request, of: detection)
    }
    let metadata = try KeptMetadata(
      of: header, by: request.metadata, resolution: nil, sidecar: request.sidecar, namesPeople: false, job)
    func exif(_ tiff: [UInt8]?) -> [UInt8]? { request.keepsLocation ? tiff : tiff.flatMap(EXIF.withoutLocation) }
    var warnings: [CropWarning] = []
    let (bytes, path): ([UInt8], DecodePath)
    if let blocks {
      let areas = plan.hiddenAreas(try request.colored(for: header.profile, job), orientation: header.orientation)
      let file = try blocks.blur(
        areas, by: request.mode,
        metadata: CropMetadata(
          exif: exif(metadata.exif(size: header.size, orientation: header.orientation)), xmp: metadata.xmp),
        progress: ProgressSpan(job: job, phase: .render))
      (bytes, path) = (file.value, file.path)
      warnings += file.faults.inOrder
    } else {
      let whole = CropPlan(showing: .whole, of: plan.source)
      let output = CropOutput(color: .keep, metadata: request.metadata, gainMap: .drop, sidecar: request.sidecar)
      var rendered = try render(whole, session, output, job) { _ in }
      // The pixels leave the result, so that they have one owner and are changed in place.
      guard var picture = rendered.last.take() else { throw .invalidRequest("the plan has no image") }
      let colored = try request.colored(for: picture.colorProfile, job)
      try picture.pixels.hide(plan.hiddenAreas(colored, orientation: .up), by: request.mode, job)
      (picture.exif, picture.xmp) = (exif(picture.exif), metadata.xmp)
      // The call reports no phase of encoding.
      let silent = Job(limits: job.limits, cancellation: job.cancellation, progress: nil)
      bytes = try Codecs.encode(picture.encoderInput, as: made, background: .white, job: silent)
      path = picture.path
      warnings += rendered.warnings
    }
    let hasGainMap = try job.attempt { () throws(FaceCropError) in try session.gainMap() != nil } ?? true
    if hasGainMap { warnings.append(.gainMapDropped(.hiddenFaces)) }
    if blocks != nil, metadata.losesCredits { warnings.append(.creditsDropped) }
    warnings += plan.blurWarnings(request, isGiven: given != nil)
    return BlurredImage(
      bytes: bytes, format: made.imageFormat, size: header.displaySize, plan: plan, keepsBlocks: blocks != nil,
      warnings: warnings, shortfall: request.shortfall(of: plan, isGiven: given != nil), detectionPath: detectionPath,
      path: path)
  }
}

extension BlurRequest {
  /// Returns the number of each face, 0 for none. Throws if the faces are not as many as ``people``.
  fileprivate func numbers(in detection: Detection) throws(FaceCropError) -> [Int] {
    guard let people else { return Array(1..<detection.faces.count + 1) }
    let found = Array(detection.faces.prefix(detection.firstFaces ?? .max))
    guard people == found.count, faces.numbers.allSatisfy({ $0 <= people }) else {
      let problem = "the named people are \(people), and the faces \(found.count), so names may be those of others"
      throw .invalidRequest(InvalidRequest(problem, field: "people", remedy: "give each face one name, such as ?"))
    }
    let order = FaceOrder.left.indices(of: found)
    return detection.faces.indices.map { (order.firstIndex(of: $0) ?? -1) + 1 }
  }
}

extension CropPlan {
  /// Creates the plan of the faces that a request hides: one crop for each.
  init(blur request: BlurRequest, of detection: Detection) throws(FaceCropError) {
    let image = detection.size
    let numbers = try request.numbers(in: detection)
    let faces = detection.faces.indices.filter { index in
      let isLarge = request.smallestFace.map { detection.faces[index].box.height >= $0.fraction(of: image) } ?? true
      return (isLarge || request.people != nil) && request.faces.contains(numbers[index])
    }
    self.init(
      source: image, detector: detection.detector, faces: detection.faces,
      crops: faces.map { Crop(blurring: $0, of: detection.faces, in: image, margin: request.margin) })
  }

  /// Returns the hidden areas in pixels of the image as stored.
  func hiddenAreas(_ request: BlurRequest, orientation: Orientation) -> [HiddenArea] {
    crops.map { HiddenArea($0, of: self, by: request, orientation: orientation) }
  }

  /// Returns the warnings about doubtful faces, and about numbers without a face. `isGiven` says that the caller has
  /// made the plan, for which the numbers of the request do not count.
  func blurWarnings(_ request: BlurRequest, isGiven: Bool) -> [CropWarning] {
    var warnings: [CropWarning] = []
    let doubtful = doubtfulFaces
    if !doubtful.isEmpty { warnings.append(.doubtfulFaces(doubtful)) }
    if isGiven { return warnings }
    let missing = request.faces.numbers.filter { $0 > faces.count }.sorted()
    if !missing.isEmpty { warnings.append(.missingFaces(missing)) }
    return warnings
  }

  /// The numbers of hidden faces that may show no face.
  var doubtfulFaces: [Int] {
    crops.flatMap(\.faces).filter { faces[$0].score < BlurSearch.sure }.map { $0 + 1 }
  }
}
