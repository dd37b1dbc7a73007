/// A filter that keeps small faces of a group, and drops those of people behind a larger face.
///
/// A face below 4 % of the image's shorter side is small. It counts with at least 0.4 of the largest face's height, and
/// a score of at least 0.83, because most small detections are false.
enum SmallFaces {
  /// The height below which a face is small, in shorter sides of the image.
  private static let small = 0.04
  /// The minimum height of a small face, in heights of the largest face.
  private static let besideLargest = 0.4
  private static let least = 0.83

  /// Returns the faces, with boxes in fractions of the image, without small ones that do not count. `acceptance` is the
  /// minimum score of a face.
  static func filtered(_ faces: [Face], in image: PixelSize, acceptance: Double) -> [Face] {
    func height(_ face: Face) -> Double { face.box.height * Double(image.height) / Double(image.shortSide) }
    let largest = faces.filter { $0.score >= acceptance }.map(height).max() ?? 0
    return faces.filter { face in
      let height = height(face)
      return height >= small || (height >= besideLargest * largest && largest > 0 && face.score >= least)
    }
  }
}
