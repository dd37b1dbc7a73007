/// A search that misses few faces. It takes the faces of the detection pass, and then candidates with low scores. It
/// looks for them in the overview, in views of it, and in tiles of a larger version of the image. If the image lies
/// sideways, it searches the upright image too. If the image has transparent pixels, it also searches what they hide.
struct BlurSearch {
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
    candidates += try views(upright.image, by: ready).map { $0.before(upright.turn) }
    let size = detection.size
    let plan = TilePlan(coveringAll: size, face: Self.smallest, most: cropper.limits.tiles)
    if plan != nil || session.header.hasAlpha {
      let place = plan?.size ?? size.scaled(toLongSide: min(size.longSide, Overview.side))
      let image = try cropper.image(place, of: session)
      candidates += try tiles(plan, of: image, beside: candidates, upright.turn, by: ready)
      if image.isTransparent {
        for showing in UnblendedSession.Showing.allCases {
          let image = try cropper.image(place, of: UnblendedSession(session, showing))
          let overview = image.inColor().quicklyResized(
            to: size.scaled(toLongSide: min(size.longSide, Overview.side)))
          candidates += try found(in: overview, by: ready) + views(overview, by: ready)
          candidates += try tiles(plan, of: image, beside: [], .none, by: ready)
        }
      }
    } else {
      candidates += try crowd(overview, beside: candidates, by: ready)
    }
    detection.firstFaces = detection.faces.count
    detection.faces = Self.faces(detection.faces, joinedBy: candidates, in: size)
    return detection
  }

  /// Returns the faces, and after them the candidates that are other faces. The area of a doubtful candidate grows by
  /// the candidates of the same face.
  static func faces(_ found: [Face], joinedBy candidates: [Face], in size: PixelSize) -> [Face] {
    var faces = found
    var areas = faces.map(\.box)
    for candidate in candidates.sorted(by: Face.precedes).compactMap(\.cutToImage)
    where candidate.score >= acceptance {
      let turn = candidate.uprightTurn(in: size)
      // A sideways face that was found as an upright one has its hair on another side.
      let known = faces.indices.first { index in
        let face = faces[index]
        return
          (face.box.intersectionOverUnion(candidate.box) > sameFace
          || face.box.intersectionOverSmaller(candidate.box) > part)
          && (face.score >= candidate.score || face.uprightTurn(in: size) == turn)
      }
      guard let known else {
        faces.append(candidate)
        areas.append(candidate.box)
        continue
      }
      // The place of a doubtful face is uncertain, so that its area covers all of its boxes.
      if known >= found.count, faces[known].score < sure,
        faces[known].box.intersectionOverUnion(candidate.box) > sameFace
      {
        areas[known] = areas[known].union(candidate.box)
      }
    }
    for index in faces.indices { faces[index].box = areas[index] }
    return faces
  }

  /// Returns candidates in the tiles of an image, and the small faces of a crowd in it.
  private func tiles(
    _ plan: TilePlan?, of image: PixelBuffer, beside known: [Face], _ turn: QuarterTurn,
    by detector: any ReadyFaceDetector
  ) throws(FaceCropError) -> [Face] {
    let image = cropper.detector.input.format == .gray ? image.inGray() : image.inColor()
    let faces =
      try plan?.faces(in: image, job) { (part) throws(FaceCropError) in
        var faces = try found(in: part, by: detector)
        if turn != .none {
          faces += try found(in: part.upright(turn.orientation), by: detector).map { $0.before(turn) }
        }
        return faces
      } ?? []
    return try faces + crowd(image, beside: known + faces, by: detector)
  }

  private func crowd(
    _ image: PixelBuffer, beside known: [Face], by detector: any ReadyFaceDetector
  ) throws(FaceCropError) -> [Face] {
    guard let detector = detector as? any ViewDetector else { return [] }
    let sure = known.filter { $0.score >= Self.sure }.suppressed(above: Self.sameFace) { $0.intersectionOverUnion($1) }
    return try BlurViews(detector, job: job, in: image).smallFaces(beside: sure)
  }

  private func views(_ image: PixelBuffer, by detector: any ReadyFaceDetector) throws(FaceCropError) -> [Face] {
    guard let detector = detector as? any ViewDetector else { return [] }
    return try BlurViews(detector, job: job, in: image).faces()
  }

  /// Returns the faces of an image, and candidates that pass.
  private func found(in image: PixelBuffer, by detector: any ReadyFaceDetector) throws(FaceCropError) -> [Face] {
    let faces = try FaceCropError.typed {
      try detector.faces(in: image, for: .allFaces) + detector.faces(in: image, for: .possibleFaces)
    }.filter { $0.score >= Self.acceptance }
    guard let detector = detector as? any ViewDetector, faces.contains(where: { $0.score < Self.sure }) else {
      return faces
    }
    return try BlurViews(detector, job: job, in: image.inColor().withFullContrast()).withoutUnseen(faces)
  }
}
