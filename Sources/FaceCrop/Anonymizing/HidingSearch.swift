/// A search that misses few faces. It takes the faces of the detection pass, and then candidates with low scores. It
/// looks for them in the overview, and in tiles of a larger version of the image. If the image lies sideways, it searches
/// the upright image too.
struct HidingSearch {
  let cropper: FaceCropper
  let session: any ImageSession
  let job: Job

  /// The minimum score of a candidate.
  private static let acceptance = 0.48
  /// The score below which a hidden face is doubtful.
  static let sure = 0.65
  /// The height of the smallest face to find, in shorter sides of the image.
  private static let smallest = 0.03
  /// The overlap above which two boxes are one face, and the overlap of a part of a larger face, in its own areas.
  private static let (sameFace, part) = (0.3, 0.6)

  /// Returns the detection with all candidates after its faces, which keep their order.
  func callAsFunction() throws(FaceCropError) -> Detection {
    var seen: PixelBuffer?
    let search = FaceSearch(faces: .each, noFace: .skip)
    // A thumbnail can lack a face of the image.
    var detection = try cropper.look(session, search, job, findsHeads: true, usesThumbnail: false) { seen = $0.value }
    guard let overview = seen else { return detection }
    let ready = try FaceCropError.typed { try cropper.detector.prepare() }
    var candidates = try found(in: overview, by: ready)
    // Other turns of an upright image show false faces, with scores up to 0.91.
    let upright = try UprightSearch(detector: ready, networks: cropper.personNetworks, job: job)(
      overview, detection.faces)
    if upright.turn != .none {
      let doubtful = try FaceCropError.typed { try ready.faces(in: upright.image, for: .possibleFaces) }
      candidates += (upright.faces + doubtful).map { $0.before(upright.turn) }
    }
    let size = detection.size
    if let plan = TilePlan(coveringAll: size, face: Self.smallest, most: cropper.limits.tiles) {
      candidates += try cropper.faces(plan, of: session, job) { (part) throws(FaceCropError) in
        var faces = try found(in: part, by: ready)
        if upright.turn != .none {
          faces += try found(in: part.upright(upright.turn.orientation), by: ready).map { $0.before(upright.turn) }
        }
        return faces
      }.faces
    }
    candidates.sort(by: Face.precedes)
    var faces = detection.faces
    for candidate in candidates.compactMap(\.cutToImage) where candidate.score >= Self.acceptance {
      let turn = candidate.uprightTurn(in: size)
      // A sideways face that was found as an upright one has its hair on another side.
      let isKnown = faces.contains { face in
        (face.box.intersectionOverUnion(candidate.box) > Self.sameFace
          || face.box.intersectionOverSmaller(candidate.box) > Self.part)
          && (face.score >= candidate.score || face.uprightTurn(in: size) == turn)
      }
      if !isKnown { faces.append(candidate) }
    }
    detection.faces = faces
    return detection
  }

  private func found(in image: PixelBuffer, by detector: any ReadyFaceDetector) throws(FaceCropError) -> [Face] {
    try FaceCropError.typed {
      try detector.faces(in: image, for: .allFaces) + detector.faces(in: image, for: .possibleFaces)
    }
  }
}
