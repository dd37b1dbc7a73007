/// The quality of one of several shots of the same people: open eyes, faces that look here, and focus.
package struct ShotQuality: Codable, Hashable, Sendable {
  /// The distance between the lids of each person, in the order of ``FaceOrder/left``; see ``MeshShape/eyeGap``. It is
  /// 0 if unknown.
  private let eyes: [Double]
  /// The number of faces that look here.
  private let facing: Int
  /// The mean sharpness of the faces, 0…1.
  private let sharpness: Double

  /// The longer sides, in pixels, of the image for ``FaceSearch/measuresFinely``, and of a face in it. They show a blur of
  /// some pixels in a photo of 24 megapixels.
  package static let (side, faceSide) = (1_600, 256)
  /// The least height of a face box from which its eyes are measured; see ``Face/detail(in:seenAt:)``.
  private static let leastDetail = 30.0
  /// The share of a person's widest eyes from which the eyes are open, and the distance from which they always are.
  ///
  /// The mesh never closes its eyes: 36 pairs of closed eyes measure up to 0.235, like 148 of 391 other pairs. So each
  /// person is compared with itself. The limits were chosen on 51 photos of nine people, read by eye. 24 of 24 pairs of
  /// open eyes are above them, 15 of 16 closed ones below, and 10 of 11 winks and squints. The missed closed eyes turn
  /// sideways. With faces of 60 pixels, 50 of the 51 are right, and with 32 pixels 39.
  private static let (share, open) = (0.77, 0.27)

  /// Measures the chosen faces of an image of this size in pixels, which were seen in one with this longer side at least.
  /// Faces without a mesh have only a sharpness.
  package init(of faces: [Face], in picture: PixelSize, seenAt side: Int = 400) {
    let shapes = FaceOrder.left.indices(of: faces).map { index in
      faces[index].detail(in: picture, seenAt: side) < Self.leastDetail ? nil : MeshShape(of: faces[index], in: picture)
    }
    eyes = shapes.map { (($0?.eyeGap ?? 0) * 1_000).rounded() / 1_000 }
    facing = shapes.count { $0?.isFrontal == true }
    sharpness = faces.reduce(0) { $0 + ($1.sharpness ?? 0) } / Double(max(faces.count, 1))
  }

  /// The number of people.
  package var people: Int { eyes.count }

  /// Returns the index of the best shot; nil without any. It shows the most people, then the most open eyes, then the
  /// most faces that look here, and then it is the sharpest. The first one wins a tie.
  package static func best(of shots: [Self]) -> Int? {
    let people = shots.map(\.people).max() ?? 0
    let full = shots.filter { $0.people == people }
    let limits = (0..<people).map { person in min(share * (full.map { $0.eyes[person] }.max() ?? 0), open) }
    let ranks = shots.map { shot in
      let open = zip(shot.eyes, limits).count { $0 > 0 && $0 >= $1 }
      return (shot.people, open, shot.facing, shot.sharpness)
    }
    return shots.indices.max { ranks[$0] < ranks[$1] }
  }
}
