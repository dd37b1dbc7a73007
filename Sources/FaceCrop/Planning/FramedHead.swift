/// The head, or several, that a frame is for; in pixels of the picture.
struct FramedHead {
  /// The face boxes' union.
  let box: Frame
  /// The highest hair or hat, and how much higher it may be.
  let crown, highestCrown: Double
  /// What headroom is left above: half-way, because a head set low for hair that is not there looks wrong too.
  var likelyCrown: Double { (crown + highestCrown) / 2 }
  /// The lowest chin.
  let chin: Double
  /// From chin to skull; of several from the lowest to the highest.
  let height: Double
  /// Head and hair.
  let (left, right): (Double, Double)
  /// What belongs in the middle: between the face and the head with its hair.
  let middle: Double
  let eyes: Double
  /// The middle of the eyes, from the left.
  let eyesAcross: Double
  let count: Int

  /// - Parameter faces: one at least.
  init(of faces: [Face], in picture: PixelSize) {
    let (width, height) = (Double(picture.width), Double(picture.height))
    let heads = faces.map { $0.head ?? Head(assumedFor: $0, in: picture) }
    func least(_ place: (Int) -> Double) -> Double { faces.indices.reduce(.infinity) { min($0, place($1)) } }
    func most(_ place: (Int) -> Double) -> Double { -least { -place($0) } }
    box = faces.dropFirst().reduce(faces[0].box) { $0.union($1.box) }.clamped().frame(in: picture)
    // A plan's heads may come from anyone; a face is never outside of its head.
    crown = least { min(heads[$0].crown.place, faces[$0].box.midY) } * height
    highestCrown =
      least { index in
        // A head that was not looked for is the one that most have.
        let confidence = faces[index].head?.crown.confidence ?? Self.sure
        let doubt = max(Self.sure - confidence, 0) * Self.doubtfulCrown
        return min(heads[index].crown.place, faces[index].box.midY) - doubt * faces[index].box.height
      } * height
    chin =
      most { max(heads[$0].chin.place, faces[$0].box.midY) + FramingCosts.chinError * faces[$0].box.height } * height
    let tallest = most { heads[$0].chin.place } - least { heads[$0].skull.place }
    self.height = max(tallest * height, box.height)
    left = least { min(heads[$0].left.place, faces[$0].box.x) } * width
    right = most { max(heads[$0].right.place, faces[$0].box.maxX) } * width
    middle = faces.count > 1 ? (left + right) / 2 : (box.midX + (left + right) / 2) / 2
    eyes = faces.reduce(0) { $0 + $1.box.y + $1.eyesInBox * $1.box.height } / Double(faces.count) * height
    eyesAcross =
      faces.reduce(0) { sum, face in
        sum + (face.landmarks.map { ($0.rightEye.x + $0.leftEye.x) / 2 } ?? face.box.midX)
      } / Double(faces.count) * width
    count = faces.count
  }

  /// Confidence from which a crown is where it seems, and how much higher it may be without any, in heights of the box.
  private static let (sure, doubtfulCrown) = (0.94, 0.8)
}
