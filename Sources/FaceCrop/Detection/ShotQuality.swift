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
  /// The least heights of a face box from which the mesh shows whether a face looks here, and from which it shows the
  /// eyes; see ``Face/detail(in:seenAt:)``.
  private static let (leastDetail, leastEyeDetail) = (30.0, 60.0)
  /// The least ``Face/sharpness`` of a face whose eyes are measured. Blur opens or closes the eyes of the mesh by chance.
  private static let leastSharpness = 0.03
  /// The share of a person's widest eyes from which the eyes are open, and the distance from which they always are.
  ///
  /// The mesh never closes its eyes: 36 pairs of closed eyes measure up to 0.235, like 148 of 391 other pairs. So each
  /// person is compared with itself. The limits were chosen on 51 photos of nine people, read by eye. 24 of 24 pairs of
  /// open eyes are above them, 15 of 16 closed ones below, and 10 of 11 winks and squints. The missed closed eyes turn
  /// sideways. With faces of 60 pixels, 50 of the 51 are right, and with 32 pixels 39.
  private static let (share, open) = (0.77, 0.27)
  /// The share of a person's widest eyes below which the eyes are closed in spite of noise and blur, and the share of the
  /// narrowest open ones below which a difference is no noise. Eyes in sharp copies of a photo differ by up to 10 % for 57
  /// of 58 people with faces from 59 pixels, and by up to 24 % below that.
  private static let (clear, noise) = (0.65, 0.9)
  /// The share of the best sharpness below which a photo is clearly less sharp.
  private static let soft = 0.7

  /// Measures the chosen faces of an image of this size in pixels, which were seen in one with this longer side at least.
  /// Faces without a mesh have only a sharpness.
  package init(of faces: [Face], in picture: PixelSize, seenAt side: Int = 400) {
    let shapes = FaceOrder.left.indices(of: faces).map { index in
      faces[index].detail(in: picture, seenAt: side) < Self.leastDetail ? nil : MeshShape(of: faces[index], in: picture)
    }
    eyes = zip(FaceOrder.left.indices(of: faces), shapes).map { index, shape in
      let isClear =
        faces[index].detail(in: picture, seenAt: side) >= Self.leastEyeDetail
        && faces[index].sharpness ?? 1 >= Self.leastSharpness
      return isClear ? ((shape?.eyeGap ?? 0) * 1_000).rounded() / 1_000 : 0
    }
    facing = shapes.count { $0?.isFrontal == true }
    sharpness = faces.reduce(0) { $0 + ($1.sharpness ?? 0) } / Double(max(faces.count, 1))
  }

  /// The number of people.
  package var people: Int { eyes.count }

  /// Returns the index of the best shot; nil without any. It shows the most people. Then it has the fewest clearly closed
  /// eyes, is not clearly less sharp than others, has the fewest closed eyes and the most faces that look here, and is
  /// the sharpest. Each step chooses among those that the steps before it left. The first one wins a tie.
  package static func best(of shots: [Self]) -> Int? {
    var rest = Array(shots.indices)
    func keep(_ value: (Self) -> Int) {
      let most = rest.map { value(shots[$0]) }.max()
      rest.removeAll { value(shots[$0]) != most }
    }
    keep { $0.people }
    let clearLimits = limits(of: rest.map { shots[$0] }, share: clear)
    keep { -$0.closed(clearLimits) }
    let sharpest = rest.map { shots[$0].sharpness }.max() ?? 0
    rest.removeAll { shots[$0].sharpness < soft * sharpest }
    let limits = limits(of: rest.map { shots[$0] }, share: share)
    keep { -$0.closed(limits) }
    keep { $0.facing }
    return rest.max { shots[$0].sharpness < shots[$1].sharpness }
  }

  /// Returns the distances below which the eyes of each person are closed. Those within the noise of open ones are open.
  private static func limits(of shots: [Self], share: Double) -> [Double] {
    (0..<(shots.first?.people ?? 0)).map { person in
      let eyes = shots.map { $0.eyes[person] }
      let limit = min(share * (eyes.max() ?? 0), open)
      return min(limit, noise * (eyes.filter { $0 >= limit }.min() ?? limit))
    }
  }

  /// Returns the number of people with closed eyes. Unknown eyes are not closed.
  private func closed(_ limits: [Double]) -> Int { zip(eyes, limits).count { $0 > 0 && $0 < $1 } }
}
