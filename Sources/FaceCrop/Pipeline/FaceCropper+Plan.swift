extension FaceCropper {
  /// Finds faces, and chooses crop regions for a request.
  ///
  /// - Parameters:
  ///   - source: The image.
  ///   - request: The request, as for ``crop(_:request:progress:)``. Its sizes decide which faces a warning counts.
  ///   - progress: Called on the working thread.
  /// - Returns: The plan, its warnings, and the method of the detection pass, without crops. The final pass can add
  ///   warnings, for example about sizes.
  /// - Throws: Any ``FaceCropError``; ``FaceCropError/noFace`` only under ``NoFacePolicy/fail``.
  public func plan(
    for source: ImageSource, request: CropRequest, progress: (@Sendable (CropProgress) -> Void)? = nil
  ) async throws(FaceCropError) -> CropResult<Never> {
    try request.check()
    return try await run(
      source, allowsDamage: request.allowsDamage, progress: progress, phases: [.overview, .detect]
    ) { (session, job) throws(FaceCropError) in try planned(session, request, job) }
  }

  /// Chooses crop regions for the faces of a `known` detection. Without one it detects faces, passes them to `looked`,
  /// and the overview to `seen`.
  func planned(
    _ session: any ImageSession, _ request: CropRequest, _ job: Job, known: Detection? = nil,
    looked: (Detection) -> Void = { _ in }, seen: (Decoded<PixelBuffer>) -> Void = { _ in }
  ) throws(FaceCropError) -> CropResult<Never> {
    let detection: Detection
    if let known {
      detection = known
    } else {
      let search = request.needsAllFaces ? request.search.findingAllFaces : request.search
      detection = try look(session, search, for: request.composition, job, seen: seen)
      looked(detection)
    }
    let plan = try decide(detection, request.search, request.composition)
    let warnings = plan.warnings(request.search, request.composition, sizes: request.output.sizes)
    return CropResult(plan: plan, warnings: detection.turnWarnings + warnings, detectionPath: detection.path)
  }

  /// Makes a plan from a detection: a pure function.
  func decide(
    _ detection: Detection, _ search: FaceSearch, _ composition: Composition
  ) throws(FaceCropError) -> CropPlan {
    let takesPossible = search.noFace.takesPossibleFaces && (detection.faces.isEmpty || search.faces.takesCertainFace)
    let possibleFace = detection.possibleFaces.first {
      takesPossible && search.isLargeEnough($0, in: detection.size)
        && (composition.layout.template == nil || $0.landmarks != nil)
    }
    return CropPlan(
      source: detection.size, rotation: detection.rotation, animationFrame: detection.animationFrame,
      detector: detection.detector, faces: detection.faces, chosen: detection.chosen,
      facesAreComplete: detection.facesAreComplete, possibleFace: possibleFace,
      crops: try CropPlanner().crops(
        for: detection.faces, in: detection.size, chosen: detection.chosen, possibleFace: possibleFace,
        attention: detection.attention, search: search, composition: composition))
  }
}
