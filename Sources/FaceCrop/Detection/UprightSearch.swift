/// A search for the quarter turn in which the faces of an image are upright.
///
/// A network finds most upright faces with a high score. It also finds some rotated faces, with a lower score and
/// landmarks as if they were upright. So the highest scores of the four turns are compared. All
/// numbers were tuned on the images that `Benchmarks/FIGURES.md` names, in all four turns.
struct UprightSearch {
  let detector: any ReadyFaceDetector
  /// The networks that find the head of a doubtful face.
  let networks: ObjectPool<PersonNetwork>
  let job: Job
  /// Whether a detector that can search in one pass looks for large faces before it searches in another turn.
  var looksFirst = false

  /// The result: the rotation, and the image and the faces as found in it.
  struct Result {
    var turn = QuarterTurn.none
    var image: PixelBuffer
    var faces: [Face]
    /// The reason not to rotate; nil if nothing speaks for a rotation.
    var obstacle: TurnObstacle?
    /// The best face if several turns have nearly the same score, as it lies in the image that is shown.
    var lying: Face?
  }

  /// The score of an upright face that ends the search.
  static let sure = 0.91
  /// The score that justifies a rotation, and the score that does with more evidence. Evidence is the face's size, a
  /// second face, or visible head and shoulders.
  static let (confident, acceptance) = (0.86, 0.7)
  /// The side of a face, in shorter sides of the image, that is evidence. Most false detections are smaller.
  static let largeFace = 0.1
  /// The distance to the highest scores of all other turns.
  static let margin = 0.01
  /// The tilt of the eyes, in degrees, up to which a face is upright.
  private static let mostLean = 45.0

  /// Compares the faces of the ordinary search with those in the three other turns.
  func callAsFunction(_ image: PixelBuffer, _ faces: [Face]) throws(FaceCropError) -> Result {
    let asShown = Result(image: image, faces: faces)
    let shown = Self.best(of: faces, in: image.size)?.score ?? 0
    guard shown < Self.sure else { return asShown }
    var (best, second) = (asShown, 0.0)
    var highest = shown
    for turn in QuarterTurn.allCases where turn != .none {
      try job.check()
      let turned = image.upright(turn.orientation)
      guard try mayShowFaces(turned) else { continue }
      let found = try FaceCropError.typed { try detector.faces(in: turned, for: .allFaces) }.compactMap(\.cutToImage)
      let score = Self.best(of: found, in: turned.size)?.score ?? 0
      if score > highest {
        (best, second) = (Result(turn: turn, image: turned, faces: found), highest)
        highest = score
      } else {
        second = max(second, score)
      }
    }
    guard best.turn != .none, let face = Self.best(of: best.faces, in: best.image.size) else { return asShown }
    guard highest - second >= Self.margin else {
      var result = kept(asShown, .severalTurns)
      if highest >= Self.acceptance { result.lying = face.before(best.turn) }
      return result
    }
    if highest >= Self.confident { return best }
    let isSeen = try highest >= Self.acceptance ? hasEvidence(of: face, in: best) : false
    return isSeen ? best : kept(asShown, .lowScore(highest))
  }

  /// The longer side of a first look, in pixels, and the least score of a face in it. Of 100 people in other turns whose
  /// face was found there, 99 still are.
  private static let (firstLook, leastScore) = (192, 0.3)

  private func mayShowFaces(_ turned: PixelBuffer) throws(FaceCropError) -> Bool {
    guard looksFirst, let detector = detector as? any ViewDetector else { return true }
    let view = turned.inColor().withFullContrast()
    let small = view.quicklyResized(to: view.size.scaled(toLongSide: Self.firstLook))
    return try !detector.faces(inView: small, threshold: Self.leastScore).isEmpty
  }

  private func kept(_ result: Result, _ obstacle: TurnObstacle) -> Result {
    var result = result
    result.obstacle = obstacle
    return result
  }

  private func hasEvidence(of face: Face, in result: Result) throws(FaceCropError) -> Bool {
    let size = result.image.size
    let box = face.box.frame(in: size)
    if (box.width * box.height).squareRoot() >= Self.largeFace * Double(size.shortSide) { return true }
    if result.faces.filter({ $0.score >= Self.acceptance }).count > 1 { return true }
    return try HeadFinder(in: result.image, by: networks).headAndShoulders(of: face) != nil
  }

  /// Returns the upright face with the highest score.
  private static func best(of faces: [Face], in size: PixelSize) -> Face? {
    faces.filter { abs($0.lean(in: size) ?? 0) <= mostLean }.min(by: Face.precedes)
  }
}
