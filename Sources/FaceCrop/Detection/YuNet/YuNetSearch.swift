/// The network's passes over one image: a small one, which suits large faces, then if necessary a large one, and a
/// close-up pass for each doubtful face.
///
/// All numbers were tuned on an internal set of 230 images and their variants: close-ups, faces cut by the edge,
/// tilted, dark, tiny, gray, far away.
struct YuNetSearch {
  let picture: PixelBuffer
  let network: Network

  /// The longer side of the large pass in pixels.
  private static let large = 512
  /// The height of a face, in longer sides of the image, above which the small pass is better.
  private static let largeFace = 0.2
  /// The score and height, in longer sides, above which the small pass alone suffices, if all its faces reach them.
  private static let (settled, settledHeight) = (0.85, 0.15)
  /// The scores of faces that get a close-up pass, and their minimum height in shorter sides of the image. Then the
  /// size of a face in the pass, and the maximum side of the pass, in pixels.
  private struct Closeness {
    let scores: Range<Double>
    let least, face, side: Double

    /// Doubtful faces get the size that suits the network best. More certain ones get a larger size, which rejects most
    /// false detections.
    static let all = [
      Closeness(scores: 0.5..<0.8, least: 0, face: 64, side: 192),
      Closeness(scores: 0.8..<CertainPerson.score, least: 0.08, face: 100, side: 160),
    ]
    /// A certain face is seen at the size that suits the network best, too.
    static let refining = all[0]
  }
  /// The longer side of the small pass in pixels, and the largest factor for enlarging smaller images.
  private static let small = 192
  private static let mostEnlarged = 1.5
  /// The minimum score of a pass's candidates.
  private static let threshold = 0.3
  /// The minimum height of a face, in shorter sides of the image.
  private static let smallestFace = 0.02
  /// The overlap from which boxes of two passes are one face.
  private static let sameFace = 0.4

  /// Returns the candidates, not clipped. Without `findsAll`, the search ends early; see ``CertainPerson``.
  func candidates(findsAll: Bool) throws(FaceCropError) -> FoundFaces {
    let atFirst = try look(at: Self.small)
    if !atFirst.isEmpty, atFirst.allSatisfy({ $0.score >= Self.settled && relativeHeight($0) > Self.settledHeight }) {
      return FoundFaces(rivals: atFirst)
    }
    if let certain = CertainPerson.first(of: atFirst, in: picture.size), let person = try refined(certain) {
      let others = findsAll ? try withoutDoubts(largePass(after: atFirst)) : atFirst
      return FoundFaces(rivals: [person], others: counted(others).without(person), areComplete: findsAll)
    }
    let faces = try largePass(after: atFirst)
    let least = CertainPerson.leastRival(of: faces)
    let seen = counted(try withoutDoubts(faces, from: findsAll ? 0 : least))
    return FoundFaces(
      rivals: seen.filter { $0.side >= least }, others: seen.filter { $0.side < least },
      areComplete: findsAll || !faces.contains { $0.side < least && closeness(of: $0) != nil })
  }

  private func largePass(after atFirst: [Face]) throws(FaceCropError) -> [Face] {
    merged(try look(at: Self.large), with: atFirst)
  }

  private func counted(_ faces: [Face]) -> [Face] {
    SmallFaces.filtered(faces, in: picture.size, acceptance: YuNetFaceDetector.acceptance)
  }

  private func look(at longSide: Int) throws(FaceCropError) -> [Face] {
    let side = min(longSide, Int((Self.mostEnlarged * Double(picture.size.longSide)).rounded()))
    let lowest = Self.smallestFace * Double(min(picture.width, picture.height))
    return try network.faces(
      in: picture.quicklyResized(to: picture.size.scaled(toLongSide: side)), threshold: Self.threshold
    )
    .filter { height($0) >= lowest }
  }

  private func height(_ face: Face) -> Double { face.box.height * Double(picture.height) }

  /// Returns the height in longer sides of the image.
  private func relativeHeight(_ face: Face) -> Double { height(face) / Double(picture.size.longSide) }

  private func isLarge(_ face: Face) -> Bool { relativeHeight(face) > Self.largeFace }

  /// Combines the faces of the large pass with those of the small one. A large face takes the higher score, and loses
  /// half of it if the small pass does not find it.
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

  // MARK: Close-ups

  /// The score of a face that its close-up does not show.
  private static let unseen = 0.1

  /// The upper bound of close-up passes over one image.
  private static let mostClose = 16

  /// Returns the faces from a side on, with the scores of close-ups averaged in for the ``mostClose`` largest doubtful
  /// ones. Other faces stay as they are.
  private func withoutDoubts(_ faces: [Face], from least: Double = 0) throws(FaceCropError) -> [Face] {
    var faces = faces
    var doubtful = faces.indices.compactMap { index in
      faces[index].side < least ? nil : closeness(of: faces[index]).map { (index, $0) }
    }
    doubtful.sort { faces[$0.0].box.area > faces[$1.0].box.area }
    for (index, closeness) in doubtful.prefix(Self.mostClose) {
      let close = try seenClosely(faces[index], closeness)?.score ?? Self.unseen
      faces[index].score = (faces[index].score + close) / 2
    }
    return faces
  }

  /// Returns the close-up that a doubtful face gets; nil for other faces.
  private func closeness(of face: Face) -> Closeness? {
    let height = height(face) / Double(picture.size.shortSide)
    return Closeness.all.first { $0.scores.contains(face.score) && height >= $0.least }
  }

  /// Returns a certain face with the box and the landmarks of a close-up, which are more exact than the small pass's; nil
  /// if that does not show the face.
  private func refined(_ face: Face) throws(FaceCropError) -> Face? {
    guard relativeHeight(face) < CertainPerson.exactHeight else { return face }
    guard var close = try seenClosely(face, .refining) else { return nil }
    close.score = max(close.score, face.score)
    return close
  }

  /// Detects a face in a close-up of its surroundings; nil if it is not found.
  private func seenClosely(_ face: Face, _ closeness: Closeness) throws(FaceCropError) -> Face? {
    let box = face.box.frame(in: picture.size)
    let side = max((box.width * box.height).squareRoot(), 1)
    let reach = closeness.side / closeness.face * side / 2
    let (left, top) = (max(Int(box.midX - reach), 0), max(Int(box.midY - reach), 0))
    let window = PixelRect(
      x: left, y: top, width: min(Int(box.midX + reach) + 1, picture.width) - left,
      height: min(Int(box.midY + reach) + 1, picture.height) - top)
    guard window.width > 0, window.height > 0 else { return nil }
    let scale = min(closeness.face / side, closeness.side / Double(window.size.longSide))
    let size = window.size.scaled(by: scale)
    let place = window.normalized(in: picture.size)
    let twin = try network.faces(in: picture.cropped(to: window).quicklyResized(to: size), threshold: Self.threshold)
      .map { $0.moved(into: place) }.max { face.overlap($0) < face.overlap($1) }
    return twin.flatMap { face.overlap($0) > 0.3 ? $0 : nil }
  }
}

extension Face {
  /// Whether the box's center lies in the image, not in its padding.
  var isInPicture: Bool { (0..<1).contains(box.midX) && (0..<1).contains(box.midY) && measurable.clamped.isValid }

  /// The face as a detector found it, with the box cut at the image's edges; nil if its center is outside, or a number
  /// is not finite. Boxes of most detectors reach over the edge when the face does.
  var cutToImage: Face? {
    guard isInPicture else { return nil }
    let face = measurable
    return face.isValid ? face : face.clamped
  }

  /// The face without an invalid head or sharpness, which can be measured.
  private var measurable: Face {
    var face = self
    if head?.isValid == false { face.head = nil }
    if let sharpness, !(0...1).contains(sharpness) { face.sharpness = nil }
    return face
  }

  fileprivate func overlap(_ other: Face) -> Double { box.intersectionOverUnion(other.box) }

  /// Converts a face in a part of the image to the whole image.
  func moved(into part: NormalizedRect) -> Face {
    var face = self
    face.box = NormalizedRect(
      x: part.x + box.x * part.width, y: part.y + box.y * part.height, width: box.width * part.width,
      height: box.height * part.height)
    face.landmarks = landmarks?.map {
      NormalizedPoint(x: part.x + $0.x * part.width, y: part.y + $0.y * part.height)
    }
    return face
  }
}
