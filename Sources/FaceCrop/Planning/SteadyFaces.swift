/// Faces for a steady region: each box contains the face's boxes in several frames of an animation.
enum SteadyFaces {
  /// Returns one detection from those of several frames in order, of one size. It has the faces that occur in at least
  /// half as many frames as the most frequent one. Boxes and heads are unions over the frames. Landmarks and scores are
  /// those of the frame where the face lies nearest to the median of its centers.
  static func merged(_ detections: [Detection]) -> Detection? {
    let seen = detections.filter { !$0.faces.isEmpty }
    guard var merged = seen.first else { return detections.first }
    var tracks: [[Face]] = []
    for detection in seen {
      var open = Set(tracks.indices)
      for face in detection.faces {
        let near = open.min {
          (distance(tracks[$0].last!, face, in: detection), $0) < (distance(tracks[$1].last!, face, in: detection), $1)
        }
        if let near, distance(tracks[near].last!, face, in: detection) <= mostMotion {
          tracks[near].append(face)
          open.remove(near)
        } else {
          tracks.append([face])
        }
      }
    }
    let most = tracks.map(\.count).max() ?? 0
    merged.faces = tracks.filter { 2 * $0.count >= most }.map { steady($0, in: merged) }.sorted(by: Face.precedes)
    merged.chosen = FaceSelection.prominent.groups(of: merged.faces).first?[0]
    return merged
  }

  /// The distance, in heights of a face, within which faces in successive frames are one face.
  private static let mostMotion = 1.0

  /// Returns the distance of two faces' centers, in heights of the larger one.
  private static func distance(_ first: Face, _ second: Face, in detection: Detection) -> Double {
    distance(first, (second.box.midX, second.box.midY), in: detection)
      / (max(first.box.height, second.box.height, 1e-6) * Double(detection.size.height))
  }

  /// Returns the distance of a face's center from a point, in pixels.
  private static func distance(_ face: Face, _ point: (x: Double, y: Double), in detection: Detection) -> Double {
    let across = (face.box.midX - point.x) * Double(detection.size.width)
    let down = (face.box.midY - point.y) * Double(detection.size.height)
    return (across * across + down * down).squareRoot()
  }

  private static func steady(_ track: [Face], in detection: Detection) -> Face {
    let center = (x: median(track.map(\.box.midX)), y: median(track.map(\.box.midY)))
    var face = track.min { distance($0, center, in: detection) < distance($1, center, in: detection) }!
    face.box = track.dropFirst().reduce(track[0].box) { $0.union($1.box) }
    face.head = union(track.compactMap(\.head))
    face.sharpness = track.compactMap(\.sharpness).max()
    face.name = track.lazy.compactMap(\.name).first
    return face
  }

  private static func union(_ heads: [Head]) -> Head? {
    guard var head = heads.first else { return nil }
    for other in heads.dropFirst() {
      if other.crown.position < head.crown.position { head.crown = other.crown }
      if other.skull.position < head.skull.position { head.skull = other.skull }
      if other.chin.position > head.chin.position { head.chin = other.chin }
      if other.left.position < head.left.position { head.left = other.left }
      if other.right.position > head.right.position { head.right = other.right }
      // An outline belongs to one frame.
      head.outline = nil
    }
    return head
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.count % 2 == 1
      ? sorted[sorted.count / 2] : (sorted[sorted.count / 2 - 1] + sorted[sorted.count / 2]) / 2
  }
}
