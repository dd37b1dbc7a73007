import FaceCrop

/// The faces that a detector found in an image, compared with the annotations.
struct Comparison {
  let hits: Int
  let missed: [NormalizedRect]
  let falseHits: [Face]
  let reportsFaces: Bool

  /// Matches detections to faces: each, highest score first, takes the first free face that it matches. A detection
  /// without one is wrong, unless it shows a face that is taken, small, or doubtful.
  ///
  /// - Parameter detected: The detections, highest score first.
  init(of detected: [Face], with picture: AnnotatedPicture) {
    var free = picture.asked
    var hits = 0
    var falseHits: [Face] = []
    for face in detected {
      if let index = free.firstIndex(where: face.box.matches) {
        free.remove(at: index)
        hits += 1
      } else if !picture.faces.contains(where: face.box.matches),
        !picture.doubtful.contains(where: { $0.holdsCenter(of: face.box) })
      {
        falseHits.append(face)
      }
    }
    self.hits = hits
    self.falseHits = falseHits
    missed = free
    reportsFaces = !detected.isEmpty
  }
}

extension NormalizedRect {
  /// Returns whether two boxes show the same face despite different borders. Each contains the other's center, and
  /// neither is more than four times as large.
  fileprivate func matches(_ other: NormalizedRect) -> Bool {
    holdsCenter(of: other) && other.holdsCenter(of: self) && (0.25...4).contains(area / other.area)
  }

  fileprivate func holdsCenter(of other: NormalizedRect) -> Bool {
    (x...maxX).contains(other.midX) && (y...maxY).contains(other.midY)
  }
}
