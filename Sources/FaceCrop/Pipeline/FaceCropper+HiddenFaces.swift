extension FaceCropper {
  /// The share of the image that people cover for a search in other turns, and the height of a head that precedes a
  /// blurred face, in heights of that face.
  private static let (turnedPeople, muchLarger) = (0.1, 5.0)

  /// Returns the candidates in an image without a face, best first. Under ``NoFacePolicy/person`` they include heads
  /// without a visible face, faces in other turns, and a head that precedes the chosen face because that is blurred.
  /// `known` is the result of a search in all turns; nil without one.
  func possibleFaces(
    beside chosen: Face?, _ search: FaceSearch, in overview: PixelBuffer, _ known: UprightSearch.Result?,
    by detector: any ReadyFaceDetector, _ job: Job
  ) throws(FaceCropError) -> [Face] {
    guard search.noFace.takesPossibleFaces, chosen?.isBlurred(in: overview.size) ?? true else { return [] }
    let describer = FaceDescriber(in: overview, by: personNetworks)
    if chosen == nil {
      let candidates = try FaceCropError.typed { try detector.faces(in: overview, for: .possibleFaces) }
      let faces = try describer.withHeadAndShoulders(candidates.compactMap(\.cutToImage).sorted(by: Face.precedes))
      guard faces.isEmpty else { return faces }
    }
    guard search.noFace == .person else { return [] }
    try job.check()
    let (face, people) = try HeadFinder(in: overview, by: personNetworks).hiddenFace()
    // In a close-up, the network takes most other things for background.
    let hidden = try describer.withHeadAndShoulders(face.map { [$0] } ?? [])
    guard hidden.isEmpty else {
      return hidden.filter { $0.box.height >= Self.muchLarger * (chosen?.box.height ?? 0) }
    }
    guard chosen == nil, people >= Self.turnedPeople else { return [] }
    let turns = UprightSearch(detector: detector, networks: personNetworks, job: job, looksFirst: true)
    let upright = if let known { known } else { try turns(overview, []) }
    let turned = upright.turn == .none ? nil : upright.faces.min(by: Face.precedes)?.before(upright.turn)
    guard var face = turned ?? upright.lying else { return [] }
    // The framing is for upright heads.
    (face.landmarks, face.head) = (nil, nil)
    return [face]
  }
}
