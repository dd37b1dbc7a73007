internal import Glibc

/// Lengths in the mesh of a face along the face's own axes, so that the tilt of the head does not change them.
struct MeshShape {
  /// The points, in pixels from the center of the face box: `x` along the line through the eyes, to the person's left,
  /// and `y` down to the chin.
  private let points: [(x: Double, y: Double)]

  /// Creates the shape of a face in an image of this size in pixels; nil without a mesh that shows a width.
  init?(of face: Face, in picture: PixelSize) {
    guard let mesh = face.mesh, mesh.count == Self.count, let lean = face.lean(in: picture) else { return nil }
    let (sine, cosine) = (sin(lean * .pi / 180), cos(lean * .pi / 180))
    points = mesh.map { point in
      let x = (point.x - face.box.midX) * Double(picture.width)
      let y = (point.y - face.box.midY) * Double(picture.height)
      return (cosine * x + sine * y, cosine * y - sine * x)
    }
    guard width > 0 else { return nil }
  }

  /// The number of points, and those on the edge of the right and of the left cheek, on the chin, and on the nose.
  private static let (count, right, left, chin, nose) = (468, 234, 454, 152, 4)
  /// The points between the lips: the corners on the right and on the left, and the middles of both lips.
  private static let (mouthRight, mouthLeft, upperLip, lowerLip) = (78, 308, 13, 14)
  /// The outer and inner corners of both eyes, and opposite points of their upper and lower lids.
  private static let (corners, lids) = (
    [(33, 133), (263, 362)], [(159, 145), (158, 153), (160, 144), (386, 374), (385, 380), (387, 373)]
  )
  /// The largest ``turn`` of a face from the front. 76 faces from the front read by eye keep it, and 85 of 89 that clearly
  /// turn break it.
  static let largestTurn = 0.45

  /// The distance from the center of the box down to the chin, in pixels.
  var chin: Double { points[Self.chin].y }
  /// The width from cheek to cheek, in pixels.
  var width: Double { points[Self.left].x - points[Self.right].x }
  /// The place of the nose between the cheeks: 0 in the middle, as from the front, −1 and 1 above a cheek.
  var turn: Double { (2 * points[Self.nose].x - points[Self.right].x - points[Self.left].x) / width }
  /// The gap between the lips, in widths of the mouth.
  var mouthGap: Double {
    let width = points[Self.mouthLeft].x - points[Self.mouthRight].x
    return (points[Self.lowerLip].y - points[Self.upperLip].y) / max(width, 1e-9)
  }
  /// Whether the face looks here.
  var isFrontal: Bool { abs(turn) <= Self.largestTurn }
  /// The mean distance between the lids, in widths of the wider eye, which is the nearer one of a face that turns. The
  /// mesh moves the lids of both eyes together.
  var eyeGap: Double {
    let gaps = Self.lids.map { points[$1].y - points[$0].y }
    let widths = Self.corners.map { hypot(points[$1].x - points[$0].x, points[$1].y - points[$0].y) }
    return max(gaps.reduce(0, +) / Double(gaps.count), 0) / max(widths[0], widths[1], 1e-9)
  }

  /// Returns the distance from chin to skull, by that from chin to crown and by the height of the face box, in pixels.
  /// Much hair, or a hat, belongs to a taller head, but only up to a height. The width counts less the more a face turns.
  ///
  /// `models/fit-head-height` fitted the numbers to 168 heads measured by eye.
  func headHeight(crown: Double, box: Double) -> Double {
    let frontal = max(1 - 2.5 * abs(turn), 0)
    let size = frontal * 1.4 * width + (1 - frontal) * box
    return 0.62 * min(crown, 1.7 * size) + 0.42 * size
  }
}

extension Face {
  /// Returns the least height of the face box in pixels of the image in which meshes are searched. The longer side of an
  /// overview can be as short as 400 pixels.
  func detail(in picture: PixelSize, seenAt side: Int = 400) -> Double {
    box.height * Double(picture.height) * min(Double(side) / Double(picture.longSide), 1)
  }
}
