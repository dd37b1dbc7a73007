/// The looks at one picture: a small one, in which large faces are seen best; where it does not say all, close ones at what may be the
/// largest face, if that is wanted alone; else a large one, and a close one at each face that is still in doubt.
///
/// All numbers were chosen on an internal set of 230 pictures and variants of it: close-ups, faces cut by the edge, tilted, dark, tiny,
/// gray, far away.
struct YuNetSearch {
  /// The picture that is searched, in color.
  let picture: PixelBuffer
  let network: Network
  let thoroughness: Thoroughness

  /// How much is looked at, for whom.
  struct Thoroughness {
    /// Whether the largest face alone is wanted: others may be left out, or left in doubt.
    let wantsLargest: Bool
    /// The large look's longer side.
    let large: Int
    /// Height of a face, in longer sides of the picture, from which on the small look sees it better.
    let largeFace: Double
    /// The score from which on the small look alone says all of a picture that has large faces only.
    let settled: Double
    /// Pixels of a face in a close look, and of the look's sides at most.
    let closeFace, closeSide: Double

    /// All faces count, and their boxes' exact places.
    static let all = Thoroughness(
      wantsLargest: false, large: 512, largeFace: 0.2, settled: 0.85, closeFace: 64, closeSide: 192)
    /// The largest face is to be framed with room to spare. On the internal set as many avatars and portraits are well framed and as few
    /// heads cut, for a third of the time.
    static let largestFace = Thoroughness(
      wantsLargest: true, large: 384, largeFace: 0.12, settled: 0.7, closeFace: 48, closeSide: 128)
  }

  /// The small look's longer side. A picture that has fewer pixels than a look is enlarged, by half at most.
  private static let small = 192
  private static let mostEnlarged = 1.5
  /// Candidates that a look keeps.
  private static let threshold = 0.3
  /// Where the small look has no candidate with even this score, the large one has no face of a twentieth of the shorter side either.
  private static let hint = 0.02
  /// Height of the smallest face, in shorter sides of the picture.
  private static let smallestFace = 0.04
  /// The overlap of two looks' boxes of one face.
  private static let sameFace = 0.4
  /// Scores that leave doubts.
  private static let doubtful = 0.5..<0.8
  /// Candidates that are looked at closely in place of a large look, and the area, in areas of the largest face until then, below which a
  /// box that was seen small cannot turn out to be larger.
  private static let (mostClose, comparable) = (4, 0.8)

  /// Everything that may be a face, unclamped, highest score first.
  func candidates() throws(FaceCropError) -> [Face] {
    let hints = try look(at: Self.small, threshold: thoroughness.wantsLargest ? Self.hint : Self.threshold)
    let atFirst = hints.filter { $0.score >= Self.threshold }
    if !atFirst.isEmpty && atFirst.allSatisfy({ $0.score >= thoroughness.settled && isLarge($0) }) { return atFirst }
    if thoroughness.wantsLargest {
      if hints.isEmpty { return [] }
      if let faces = try facesWithLargest(atFirst) { return faces.sorted(by: Face.precedes) }
    }
    let faces = try withoutDoubts(merged(try look(at: thoroughness.large, threshold: Self.threshold), with: atFirst))
    return faces.sorted(by: Face.precedes)
  }

  private func look(at longSide: Int, threshold: Double) throws(FaceCropError) -> [Face] {
    let side = min(longSide, Int((Self.mostEnlarged * Double(picture.size.longSide)).rounded()))
    let lowest = Self.smallestFace * Double(min(picture.width, picture.height))
    return try network.faces(
      in: picture.quicklyResized(to: picture.size.scaled(toLongSide: side)), threshold: threshold
    )
    .filter { height($0) >= lowest }
  }

  private func height(_ face: Face) -> Double { face.box.height * Double(picture.height) }

  private func isLarge(_ face: Face) -> Bool { height(face) > thoroughness.largeFace * Double(picture.size.longSide) }

  /// The large look's faces with what the small one says of them. Of a large face the surer look counts, and one that the small
  /// look does not see is doubtful.
  private func merged(_ faces: [Face], with others: [Face]) -> [Face] {
    var others = others
    var merged = faces.map { face in
      let twin = others.indices.max { face.overlap(others[$0]) < face.overlap(others[$1]) }
        .flatMap { face.overlap(others[$0]) > Self.sameFace ? others.remove(at: $0) : nil }
      guard isLarge(face) else { return face }
      if let twin { return twin.score > face.score ? twin : face }
      var face = face
      face.score /= 2
      return face
    }
    merged += others.filter(isLarge)
    return merged.suppressed(above: 0.3) { $0.intersectionOverUnion($1) }
  }

  // MARK: Close looks

  /// The score of a face that a close look does not see.
  private static let unseen = 0.1

  /// The small look's candidates with the largest one as a close look sees it, which then is a face beyond doubt; those that a close look
  /// denies are left out. Nil where no such face is among the largest candidates.
  private func facesWithLargest(_ candidates: [Face]) throws(FaceCropError) -> [Face]? {
    var others = candidates.sorted { $0.box.area > $1.box.area }
    var faces: [Face] = []
    for candidate in others.filter(\.isInPicture).prefix(Self.mostClose) {
      let largest = faces.map(\.box.area).max() ?? 0
      if candidate.box.area < Self.comparable * largest { break }
      others.removeAll { $0 == candidate }
      if let face = try seenClosely(candidate), face.score >= FaceSelection.sureScore { faces.append(face) }
    }
    return faces.isEmpty ? nil : (faces + others).suppressed(above: 0.3) { $0.intersectionOverUnion($1) }
  }

  /// The faces, doubtful ones with what a close look says of them too. Where the largest is wanted, what is smaller than a sure one stays
  /// in doubt.
  private func withoutDoubts(_ candidates: [Face]) throws(FaceCropError) -> [Face] {
    var largest = 0.0
    var faces = candidates.sorted { $0.box.area > $1.box.area }
    for (place, face) in faces.enumerated() {
      let counts = !thoroughness.wantsLargest || face.box.area >= Self.comparable * largest
      if counts, Self.doubtful.contains(face.score) {
        faces[place].score = (face.score + (try seenClosely(face)?.score ?? Self.unseen)) / 2
      }
      if faces[place].score >= FaceSelection.sureScore { largest = max(largest, face.box.area) }
    }
    return faces
  }

  /// The face as the network sees it with its surroundings alone, at another size; nil where it does not.
  private func seenClosely(_ face: Face) throws(FaceCropError) -> Face? {
    let box = face.box.frame(in: picture.size)
    let side = max((box.width * box.height).squareRoot(), 1)
    let reach = thoroughness.closeSide / thoroughness.closeFace * side / 2
    let (left, top) = (max(Int(box.midX - reach), 0), max(Int(box.midY - reach), 0))
    let window = PixelRect(
      x: left, y: top, width: min(Int(box.midX + reach) + 1, picture.width) - left,
      height: min(Int(box.midY + reach) + 1, picture.height) - top)
    guard window.width > 0, window.height > 0 else { return nil }
    let scale = min(thoroughness.closeFace / side, thoroughness.closeSide / Double(window.size.longSide))
    let size = PixelSize(
      width: max(Int((Double(window.width) * scale).rounded()), 1),
      height: max(Int((Double(window.height) * scale).rounded()), 1))
    let place = window.normalized(in: picture.size)
    let twin = try network.faces(in: picture.cropped(to: window).quicklyResized(to: size), threshold: Self.threshold)
      .map { $0.moved(into: place) }.max { face.overlap($0) < face.overlap($1) }
    return twin.flatMap { face.overlap($0) > 0.3 ? $0 : nil }
  }
}

extension Face {
  /// Whether the box's middle lies in the picture and not in what was added to its sides.
  var isInPicture: Bool { (0..<1).contains(box.midX) && (0..<1).contains(box.midY) && clamped.isValid }

  fileprivate func overlap(_ other: Face) -> Double { box.intersectionOverUnion(other.box) }

  /// A face of a part of the picture, in the picture.
  fileprivate func moved(into part: NormalizedRect) -> Face {
    func moved(_ point: NormalizedPoint) -> NormalizedPoint {
      NormalizedPoint(x: part.x + point.x * part.width, y: part.y + point.y * part.height)
    }
    var face = self
    face.box = NormalizedRect(
      x: part.x + box.x * part.width, y: part.y + box.y * part.height, width: box.width * part.width,
      height: box.height * part.height)
    face.landmarks = landmarks.map { marks in
      FaceLandmarks(
        rightEye: moved(marks.rightEye), leftEye: moved(marks.leftEye), nose: moved(marks.nose),
        mouthRight: moved(marks.mouthRight), mouthLeft: moved(marks.mouthLeft))
    }
    return face
  }
}
