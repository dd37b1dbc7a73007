import FaceCrop

/// The rule for a correct avatar.
enum AvatarRule {
  /// The request for an avatar.
  static var request: CropRequest {
    var request = CropRequest()
    request.search.faces = .prominent
    request.composition.layout = .framing(.avatar)
    return request
  }

  /// Returns whether a region shows at least nine tenths of the image's largest face, or of one at least 70 % as large.
  /// The face must take 20 to 90 % of the region's height, or more if the region could not be higher.
  static func isGood(_ region: NormalizedRect, of picture: AnnotatedPicture) -> Bool {
    let largest = picture.asked.map(\.area).max() ?? 0
    let isWhole = region.height * Double(picture.size.height) >= 0.97 * Double(picture.size.shortSide)
    return picture.asked.contains { face in
      let share = face.height / region.height
      return face.area >= 0.7 * largest && face.commonArea(with: region) >= 0.9 * face.area && share >= 0.2
        && (share <= 0.9 || isWhole)
    }
  }
}

extension NormalizedRect {
  fileprivate func commonArea(with other: NormalizedRect) -> Double {
    max(min(maxX, other.maxX) - max(x, other.x), 0) * max(min(maxY, other.maxY) - max(y, other.y), 0)
  }
}
