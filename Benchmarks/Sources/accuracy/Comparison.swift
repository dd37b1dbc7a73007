import FaceCrop

/// What a detector found in a picture, beside what is there.
struct Comparison {
  let hits: Int
  let missed: [NormalizedRect]
  let falseHits: [Face]
  let reportsFaces: Bool

  /// Face by face, the surest first, each takes the first face asked for that is free and that it matches. One that gets
  /// none is wrong, unless it shows a face all the same: one already taken, a small one, or a doubtful one.
  ///
  /// - Parameter detected: highest score first.
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
  /// Whether both show the same face, whatever each takes for its border: their centers lie in each other, and neither is
  /// more than four times as large.
  fileprivate func matches(_ other: NormalizedRect) -> Bool {
    holdsCenter(of: other) && other.holdsCenter(of: self) && (0.25...4).contains(area / other.area)
  }

  fileprivate func holdsCenter(of other: NormalizedRect) -> Bool {
    (x...maxX).contains(other.midX) && (y...maxY).contains(other.midY)
  }
}
