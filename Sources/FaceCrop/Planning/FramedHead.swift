/// The head or heads in a frame, in pixels of the image.
struct FramedHead {
  /// The union of the face boxes.
  let box: Frame
  /// The top of the highest hair or hat, and its highest possible position.
  let crown, highestCrown: Double
  /// The crown for the headroom: half-way, because a head set low for absent hair looks wrong too.
  var likelyCrown: Double { (crown + highestCrown) / 2 }
  /// The lowest chin.
  let chin: Double
  /// The distance from chin to skull; for several heads from the lowest chin to the highest skull.
  let height: Double
  /// The sides of heads with their hair.
  let (left, right): (Double, Double)
  /// The horizontal center: between that of the face and that of the head with its hair.
  let middle: Double
  let eyes: Double
  /// The middle of the eyes, from the left.
  let eyesAcross: Double
  let count: Int

  /// Combines the heads of at least one face.
  init(of faces: [Face], in picture: PixelSize) {
    let (width, height) = (Double(picture.width), Double(picture.height))
    let heads = faces.map { $0.head ?? Head(assumedFor: $0, in: picture) }
    func least(_ place: (Int) -> Double) -> Double { faces.indices.reduce(.infinity) { min($0, place($1)) } }
    func most(_ place: (Int) -> Double) -> Double { -least { -place($0) } }
    box = faces.dropFirst().reduce(faces[0].box) { $0.union($1.box) }.clamped().frame(in: picture)
    // The heads of a plan can be untrusted, but a face is never outside its head.
    crown = least { min(heads[$0].crown.position, faces[$0].box.midY) } * height
    highestCrown =
      least { index in
        // A head that was not searched is assumed to be typical.
        let confidence = faces[index].head?.crown.confidence ?? Self.sure
        let doubt = max(Self.sure - confidence, 0) * Self.doubtfulCrown
        return min(heads[index].crown.position, faces[index].box.midY) - doubt * faces[index].box.height
      } * height
    chin =
      most { max(heads[$0].chin.position, faces[$0].box.midY) + FramingCosts.chinError * faces[$0].box.height } * height
    let tallest = most { heads[$0].chin.position } - least { heads[$0].skull.position }
    self.height = max(tallest * height, box.height)
    left = least { min(heads[$0].left.position, faces[$0].box.x) } * width
    right = most { max(heads[$0].right.position, faces[$0].box.maxX) } * width
    middle = faces.count > 1 ? (left + right) / 2 : (box.midX + (left + right) / 2) / 2
    eyes = faces.reduce(0) { $0 + $1.box.y + $1.eyesInBox * $1.box.height } / Double(faces.count) * height
    eyesAcross =
      faces.reduce(0) { sum, face in
        sum + (face.landmarks.map { ($0.rightEye.x + $0.leftEye.x) / 2 } ?? face.box.midX)
      } / Double(faces.count) * width
    count = faces.count
  }

  /// The confidence from which a crown is certain, and its possible error at confidence 0, in heights of the box.
  private static let (sure, doubtfulCrown) = (0.94, 0.8)
}
