/// A search of an image in views, for faces that the image itself shows to no detector. Some views are mirrored beyond
/// the edges, for faces that they cut. Others are small for faces out of focus, and rotated for tilted faces. Dark images
/// are lightened.
///
/// A view also shows false faces. So two close-ups decide, rotated a little to either side. All numbers were tuned on
/// the images that `Benchmarks/FIGURES.md` names, and on copies of them: cut by an edge, tilted, dark, out of focus.
struct BlurViews {
  private let detector: any ViewDetector
  private let job: Job
  private let image: PixelBuffer

  /// The rotation, the longer side in pixels, and the border in shorter sides of the image.
  private static let views: [(degrees: Double, side: Double, border: Double)] = [
    (0, 160, 0.15), (0, 256, 0.15), (40, 384, 0), (-40, 384, 0), (90, 192, 0), (-90, 192, 0), (180, 192, 0),
    (135, 192, 0), (-135, 192, 0),
  ]
  /// The minimum score in a view, and the minimum of the mean of this and the mean score of close-ups.
  private static let (seen, acceptance) = (0.5, 0.55)
  /// The size of a face in a close-up, the sides of a close-up in pixels, and its rotations against the view's.
  private static let (face, side, turns) = (64.0, 128, [-20.0, 20])
  /// The minimum score, and the minimum overlap, of a face in a close-up.
  private static let (lowest, sameFace) = (0.1, 0.3)
  /// The share of a face's box that must lie in the image.
  private static let inside = 0.25
  /// The upper bound of close-ups of a view's faces.
  private static let mostClose = 64

  init(_ detector: any ViewDetector, job: Job, in image: PixelBuffer) {
    (self.detector, self.job, self.image) = (detector, job, image)
  }

  /// Returns the faces in views of the whole image.
  func faces() throws(FaceCropError) -> [Face] {
    let shown = BlurViews(detector, job: job, in: image.inColor().withoutShadows().withFullContrast())
    var faces: [Face] = []
    var source: TurnedView.Source?
    for view in Self.views {
      // Views of one size follow each other.
      let own = source?.side == view.side ? source! : TurnedView.Source(shown.image, side: view.side)
      source = own
      faces += try shown.faces(
        in: TurnedView(of: own, degrees: view.degrees, border: view.border), view.degrees, Self.seen, Self.acceptance)
    }
    return faces
  }

  /// Returns the faces without doubtful ones that close-ups do not show.
  func withoutUnseen(_ faces: [Face]) throws(FaceCropError) -> [Face] {
    var shown = faces
    for index in faces.indices.prefix(Self.mostClose).reversed() where faces[index].score < BlurSearch.sure {
      let face = faces[index]
      let box = face.box.frame(in: image.size)
      let score = try closeScore(of: face, width: box.width / box.height, 0)
      if (face.score + score) / 2 < Self.unseen { shown.remove(at: index) }
    }
    return shown
  }

  /// The mean of both scores below which close-ups do not show a face.
  private static let unseen = 0.35

  // MARK: Crowds

  /// The number of small faces in a crowd, and their maximum height in shorter sides of the image.
  private static let (crowd, small) = (3, 0.06)
  /// The height of a face in pixels of a view, and in shorter sides of the image. Then the largest factor for enlarging.
  private static let (smallSide, smallHeight, mostEnlarged) = (64.0, 0.045, 4.0)
  /// The minimum score in a view, and the minimum mean as above. Then the views' rotations.
  private static let (smallSeen, smallAcceptance, leans) = (0.4, 0.5, [0.0, -20, 20])
  /// The overlap of the views of a crowd, in their sides.
  private static let overlap = 0.15

  /// Returns the small faces of a crowd, from views that enlarge the image. None if `known` are no crowd.
  func smallFaces(beside known: [Face]) throws(FaceCropError) -> [Face] {
    let short = Double(image.size.shortSide)
    guard known.count(where: { $0.box.height * Double(image.height) < Self.small * short }) >= Self.crowd else {
      return []
    }
    let scale = min(max(Self.smallSide / (Self.smallHeight * short), 1), Self.mostEnlarged)
    let size = PixelSize(
      width: min(Overview.side, Int(Double(image.width) * scale)),
      height: min(Overview.side, Int(Double(image.height) * scale)))
    func centers(_ length: Int) -> [Double] {
      let sides = Double(length) * scale / Double(Overview.side) - Self.overlap
      let count = max(Int((sides / (1 - Self.overlap)).rounded(.up)), 1)
      return (0..<count).map { (Double($0) + 0.5) / Double(count) }
    }
    var faces: [Face] = []
    let source = TurnedView.Source(image, side: scale * Double(image.size.longSide))
    for degrees in Self.leans {
      for y in centers(image.height) {
        for x in centers(image.width) {
          let view = TurnedView(of: source, around: NormalizedPoint(x: x, y: y), degrees: degrees, size: size)
          faces += try self.faces(in: view, degrees, Self.smallSeen, Self.smallAcceptance)
        }
      }
    }
    return faces
  }

  // MARK: Views

  private func faces(
    in view: TurnedView, _ degrees: Double, _ seen: Double, _ acceptance: Double
  ) throws(FaceCropError) -> [Face] {
    try job.check()
    var faces: [Face] = []
    for found in try detector.faces(inView: view.pixels, threshold: seen).prefix(Self.mostClose) {
      var face = view.face(found)
      let shown = face.box.clamped()
      guard shown.area >= Self.inside * face.box.area else { continue }
      let box = found.box.frame(in: view.pixels.size)
      face.score = (found.score + (try closeScore(of: face, width: box.width / box.height, degrees))) / 2
      face.box = shown
      if face.score >= acceptance { faces.append(face) }
    }
    return faces
  }

  /// Returns the mean score of close-ups. `ratio` is the width of the face in the view, in its heights.
  private func closeScore(of face: Face, width ratio: Double, _ degrees: Double) throws(FaceCropError) -> Double {
    let box = face.box.frame(in: image.size)
    let scale = Self.face / (box.width * box.height).squareRoot()
    let share = Self.face / Double(Self.side)
    let (width, height) = (share * ratio.squareRoot(), share / ratio.squareRoot())
    let wanted = NormalizedRect(x: (1 - width) / 2, y: (1 - height) / 2, width: width, height: height)
    let source = TurnedView.Source(image, side: scale * Double(image.size.longSide))
    var sum = 0.0
    for turn in Self.turns {
      let view = TurnedView(
        of: source, around: NormalizedPoint(x: face.box.midX, y: face.box.midY), degrees: degrees + turn,
        size: PixelSize(width: Self.side, height: Self.side))
      sum +=
        try detector.faces(inView: view.pixels, threshold: Self.lowest)
        .filter { $0.box.intersectionOverUnion(wanted) > Self.sameFace }.map(\.score).max() ?? 0
    }
    return sum / Double(Self.turns.count)
  }
}
