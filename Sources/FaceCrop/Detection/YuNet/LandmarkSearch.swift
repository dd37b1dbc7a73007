internal import Glibc

/// A search for the exact landmarks of a face by a mesh, in squares that follow the face until it is upright in them.
///
/// All numbers were tuned on the marked faces of `Benchmarks/FIGURES.md`, rotated by up to 65 degrees.
struct LandmarkSearch {
  let picture: PixelBuffer
  let network: MeshNetwork

  /// The size of a face in the network's image, in pixels.
  private static let side = 128.0
  /// The upper bound of passes. More do not improve the result.
  private static let mostPasses = 4
  /// The changes that need no other pass: of the tilt in degrees, and of the center and the size in sides of the face.
  private static let (level, near, similar) = (3.0, 0.05, 0.15)
  /// The least probability of a face in the last pass. Nearly all faces have more than 0.9, and others less than 0.1.
  private static let leastScore = 0.2
  /// The largest distance between the middles of the landmarks before and after, in sides of the face.
  private static let farthest = 0.4

  /// Returns the face with exact landmarks, or unchanged if the network sees no face, or sees it elsewhere.
  func exact(_ face: Face) throws(FaceCropError) -> Face {
    let box = face.box.frame(in: picture.size)
    guard box.width >= 1, box.height >= 1 else { return face }
    var place = FacePlace(
      x: box.midX, y: box.midY, side: (box.width * box.height).squareRoot(), degrees: face.lean(in: picture.size) ?? 0)
    let farthest = Self.farthest * place.side
    var (exact, score) = (face, 0.0)
    for _ in 0..<Self.mostPasses {
      let patch = try picture.patch(at: place, face: Self.side, size: MeshNetwork.side)
      let (mesh, found) = try network.mesh(of: patch)
      let middle = Double(MeshNetwork.side) / 2
      let map = AffineMap(
        degrees: place.degrees, scale: Self.side / place.side, center: (place.x, place.y), target: (middle, middle))
      func point(_ mark: NormalizedPoint) -> NormalizedPoint {
        let (x, y) = map.inverse(mark.x * Double(patch.width), mark.y * Double(patch.height))
        // The rounding is finer than the mesh, and shortens JSON.
        func rounded(_ place: Double) -> Double { (place * 1_000_000).rounded() / 1_000_000 }
        return NormalizedPoint(x: rounded(x / Double(picture.width)), y: rounded(y / Double(picture.height)))
      }
      let seen = Face(box: NormalizedRect(bounding: mesh), score: found, landmarks: FaceLandmarks(mesh: mesh))
      (exact.landmarks, exact.mesh, score) = (seen.landmarks?.map(point), mesh.map(point), found)
      let center = point(NormalizedPoint(x: seen.box.midX, y: seen.box.midY))
      let size = max(seen.box.width, seen.box.height) * Double(MeshNetwork.side) / Self.side
      guard let lean = seen.lean(in: patch.size), (0...1).contains(center.x), (0...1).contains(center.y),
        (0.5...2).contains(size), size * place.side >= 1
      else { return face }
      let next = FacePlace(
        x: center.x * Double(picture.width), y: center.y * Double(picture.height), side: size * place.side,
        degrees: place.degrees + lean)
      let isSettled =
        abs(lean) < Self.level && hypot(next.x - place.x, next.y - place.y) < Self.near * place.side
        && abs(size - 1) < Self.similar
      place = next
      if isSettled { break }
    }
    return score < Self.leastScore || shift(from: face, to: exact) > farthest ? face : exact
  }

  /// Returns the distance in pixels between the middles of the landmarks of two faces; 0 if one has none.
  private func shift(from face: Face, to exact: Face) -> Double {
    guard let former = face.landmarks?.points, let points = exact.landmarks?.points else { return 0 }
    let (first, second) = (former.mean, points.mean)
    return hypot((second.x - first.x) * Double(picture.width), (second.y - first.y) * Double(picture.height))
  }
}

extension [NormalizedPoint] {
  /// The mean of one point at least.
  var mean: NormalizedPoint {
    NormalizedPoint(x: map(\.x).reduce(0, +) / Double(count), y: map(\.y).reduce(0, +) / Double(count))
  }
}

extension NormalizedRect {
  /// Creates the smallest rectangle around points.
  fileprivate init(bounding points: [NormalizedPoint]) {
    let (xs, ys) = (points.map(\.x).sorted(), points.map(\.y).sorted())
    self.init(x: xs[0], y: ys[0], width: xs[xs.count - 1] - xs[0], height: ys[ys.count - 1] - ys[0])
  }
}
