extension FaceCropper {
  /// A plan, and the facts of the detection pass.
  struct Planned {
    var plan: CropPlan
    /// The warnings about the plan. A given plan has none.
    var warnings: [CropWarning] = []
    var detectionPath: DecodePath?
  }

  /// Chooses crop regions for the faces of a `known` detection. Without one it detects faces, passes them to `looked`,
  /// and the overview to `seen`.
  func planned(
    _ session: any ImageSession, _ request: CropRequest, _ job: Job, known: Detection? = nil,
    looked: (Detection) -> Void = { _ in }, seen: (Decoded<PixelBuffer>) -> Void = { _ in }
  ) throws(FaceCropError) -> Planned {
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
    return Planned(plan: plan, warnings: detection.turnWarnings + warnings, detectionPath: detection.path)
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
