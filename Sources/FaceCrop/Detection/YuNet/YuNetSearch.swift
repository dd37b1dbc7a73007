/// The looks at one picture: a small one, in which large faces are seen best; where it does not say all, a large one; and a close one
/// at each face that is still in doubt.
///
/// All numbers were chosen on an internal set of 230 pictures and variants of it: close-ups, faces cut by the edge, tilted, dark, tiny,
/// gray.
struct YuNetSearch {
  /// The picture that is searched, in color.
  let picture: PixelBuffer
  let network: Network
  let thoroughness: Thoroughness

  /// How much is looked at, for whom.
  struct Thoroughness {
    /// The large look's longer side.
    let large: Int
    /// Height of a face, in longer sides of the picture, from which on the small look sees it better.
    let largeFace: Double
    /// The score from which on the small look alone says all of a picture that has large faces only.
    let settled: Double

    /// All faces count, and their boxes' exact places.
    static let all = Thoroughness(large: 512, largeFace: 0.2, settled: 0.85)
    /// The largest face is to be framed with room to spare. On the internal set as many avatars and portraits are well framed and as few
    /// heads cut, for half the time; of the small faces of groups a fiftieth more is missed.
    static let largestFace = Thoroughness(large: 384, largeFace: 0.12, settled: 0.7)
  }

  /// The small look's longer side. A picture that has fewer pixels than a look is enlarged, by half at most.
  private static let small = 192
  private static let mostEnlarged = 1.5
  /// Candidates that a look keeps.
  private static let threshold = 0.3
  /// Height of the smallest face, in shorter sides of the picture.
  private static let smallestFace = 0.04
  /// The overlap of two looks' boxes of one face.
  private static let sameFace = 0.4
  /// Scores that leave doubts.
  private static let doubtful = 0.5..<0.8

  /// Everything that may be a face, unclamped, highest score first.
  func candidates() throws(FaceCropError) -> [Face] {
    let atFirst = try look(at: Self.small)
    if !atFirst.isEmpty && atFirst.allSatisfy({ $0.score >= thoroughness.settled && isLarge($0) }) { return atFirst }
    var faces = merged(try look(at: thoroughness.large), with: atFirst)
    for (place, face) in faces.enumerated() where Self.doubtful.contains(face.score) {
      faces[place].score = (face.score + (try scoreFromNearby(face))) / 2
    }
    return faces.sorted(by: Face.precedes)
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

  /// Pixels of a face in a close look, and the look's sides in faces.
  private static let (closeFace, surroundings) = (64.0, 3.0)
  /// The score of a face that a close look does not see.
  private static let unseen = 0.1

  /// What the network says of a face that it sees with its surroundings alone, at another size.
  private func scoreFromNearby(_ face: Face) throws(FaceCropError) -> Double {
    let box = face.box.frame(in: picture.size)
    let side = max((box.width * box.height).squareRoot(), 1)
    let reach = Self.surroundings * side / 2
    let (left, top) = (max(Int(box.midX - reach), 0), max(Int(box.midY - reach), 0))
    let window = PixelRect(
      x: left, y: top, width: min(Int(box.midX + reach) + 1, picture.width) - left,
      height: min(Int(box.midY + reach) + 1, picture.height) - top)
    guard window.width > 0, window.height > 0 else { return Self.unseen }
    let scale = Self.closeFace / side
    let size = PixelSize(
      width: max(Int((Double(window.width) * scale).rounded()), 1),
      height: max(Int((Double(window.height) * scale).rounded()), 1))
    let (width, height) = (Double(window.width), Double(window.height))
    let expected = NormalizedRect(
      x: (box.x - Double(window.x)) / width, y: (box.y - Double(window.y)) / height, width: box.width / width,
      height: box.height / height)
    let seen = try network.faces(in: picture.cropped(to: window).quicklyResized(to: size), threshold: Self.threshold)
    let twin = seen.max { $0.box.intersectionOverUnion(expected) < $1.box.intersectionOverUnion(expected) }
    guard let twin, twin.box.intersectionOverUnion(expected) > 0.3 else { return Self.unseen }
    return twin.score
  }
}

extension Face {
  fileprivate func overlap(_ other: Face) -> Double { box.intersectionOverUnion(other.box) }
}
