internal import Glibc

/// A search for exact landmarks in close-up passes, each rotated by the tilt that the previous one found.
struct LandmarkSearch {
  let picture: PixelBuffer
  let network: Network

  /// The side of a close-up, and of the face in it, in pixels. Smaller faces lose accuracy of the tilt, and larger ones
  /// gain nothing.
  private static let (size, side) = (320, 200.0)
  /// The upper bound of passes. More do not improve the result.
  private static let mostLooks = 5
  private static let isLevel = 1.0
  /// The largest distance between the middles of the landmarks before and after, in sides of the face. In 84 of 1,156
  /// faces it was larger. Nearly all of these close-ups, of small, covered or turned faces, had the wrong landmarks.
  private static let farthest = 0.2

  /// Returns the face with exact landmarks, or unchanged if no close-up shows it, or if its landmarks lie elsewhere
  /// there.
  func exact(_ face: Face) throws(FaceCropError) -> Face {
    let box = face.box.frame(in: picture.size)
    guard box.width >= 1, box.height >= 1 else { return face }
    var place = FacePlace(
      x: box.midX, y: box.midY, side: (box.width * box.height).squareRoot(), degrees: 0)
    var exact = face
    for _ in 0..<Self.mostLooks {
      let patch = try picture.patch(at: place, face: Self.side, size: Self.size)
      let seen = try network.faces(in: patch, threshold: 0.3).first { found in
        abs(found.box.midX - 0.5) < 0.2 && abs(found.box.midY - 0.5) < 0.2
      }
      guard let seen, let marks = seen.landmarks, let lean = seen.lean(in: patch.size) else { break }
      exact.landmarks = landmarks(marks, of: place)
      place.degrees += lean
      // A rotation by 90 degrees or more is a detection error.
      guard abs(place.degrees) < 90 else { return face }
      if abs(lean) < Self.isLevel { break }
    }
    return shift(from: face, to: exact) > Self.farthest * place.side ? face : exact
  }

  /// Returns the distance in pixels between the middles of the landmarks of two faces; 0 if one has none.
  private func shift(from face: Face, to exact: Face) -> Double {
    guard let former = face.landmarks?.points, let points = exact.landmarks?.points else { return 0 }
    func middle(_ points: [NormalizedPoint]) -> (x: Double, y: Double) {
      let count = Double(points.count)
      return (points.map(\.x).reduce(0, +) / count, points.map(\.y).reduce(0, +) / count)
    }
    let (first, second) = (middle(former), middle(points))
    return hypot((second.x - first.x) * Double(picture.width), (second.y - first.y) * Double(picture.height))
  }

  /// Returns the landmarks of a close-up in fractions of the image.
  private func landmarks(_ marks: FaceLandmarks, of place: FacePlace) -> FaceLandmarks {
    let middle = Double(Self.size) / 2
    let map = AffineMap(
      degrees: place.degrees, scale: Self.side / place.side, center: (place.x, place.y), target: (middle, middle))
    return marks.map { mark in
      let (x, y) = map.inverse(mark.x * Double(Self.size), mark.y * Double(Self.size))
      return NormalizedPoint(x: x / Double(picture.width), y: y / Double(picture.height))
    }
  }
}
