/// A search that misses few faces. It takes the faces of the detection pass, and then candidates with low scores. It
/// looks for them in the overview, and in tiles of a larger version of the image. If the image
/// lies sideways, it searches the upright image too.
struct HidingSearch {
  let cropper: FaceCropper
  let session: any ImageSession
  let job: Job

  /// The minimum score of a candidate.
  private static let acceptance = 0.45
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
    if upright.turn != .none { candidates += try found(in: overview, rotatedBy: upright.turn, by: ready) }
    let size = detection.size
    if let plan = TilePlan(coveringAll: size, face: Self.smallest, most: cropper.limits.tiles) {
      candidates += try cropper.faces(plan, of: session, job) { (part) throws(FaceCropError) in
        var faces = try found(in: part, by: ready)
        if upright.turn != .none { faces += try found(in: part, rotatedBy: upright.turn, by: ready) }
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

  /// Returns the faces that are upright in the rotated image, in the image before the rotation.
  private func found(
    in image: PixelBuffer, rotatedBy turn: QuarterTurn, by detector: any ReadyFaceDetector
  ) throws(FaceCropError) -> [Face] {
    try found(in: image.upright(turn.orientation), by: detector).map { $0.before(turn) }
  }
}

extension Face {
  /// Returns the rotation of the image that makes the face upright, by its eyes.
  func uprightTurn(in image: PixelSize) -> QuarterTurn {
    let quarters = Int(((lean(in: image) ?? 0) / 90).rounded())
    return QuarterTurn(rawValue: (4 - quarters) % 4 * 90) ?? .none
  }

  /// Returns the face of a rotated image in the image before the rotation.
  func before(_ turn: QuarterTurn) -> Face {
    var face = self
    face.box = box.before(turn)
    face.landmarks = landmarks.map {
      FaceLandmarks(
        rightEye: $0.rightEye.before(turn), leftEye: $0.leftEye.before(turn), nose: $0.nose.before(turn),
        mouthRight: $0.mouthRight.before(turn), mouthLeft: $0.mouthLeft.before(turn))
    }
    return face
  }
}

extension NormalizedPoint {
  /// Returns the point of a rotated image in the image before the rotation.
  fileprivate func before(_ turn: QuarterTurn) -> NormalizedPoint {
    let place = turn.orientation.stored(x: x, y: y, in: PixelSize(width: 1, height: 1))
    return NormalizedPoint(x: place.x, y: place.y)
  }
}

extension NormalizedRect {
  /// Returns the rectangle of a rotated image in the image before the rotation.
  func before(_ turn: QuarterTurn) -> NormalizedRect {
    let first = NormalizedPoint(x: x, y: y).before(turn)
    let last = NormalizedPoint(x: maxX, y: maxY).before(turn)
    return NormalizedRect(
      x: min(first.x, last.x), y: min(first.y, last.y), width: abs(last.x - first.x), height: abs(last.y - first.y))
  }
}
