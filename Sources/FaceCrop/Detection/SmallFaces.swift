/// Which small faces count: those of a group, and not those of people in the background of a larger face.
///
/// A face is small below 4 % of the image's shorter side. It counts if it has 0.4 of the largest face's height or more, and a score of at
/// least 0.83: what is taken for a small face is more often none.
enum SmallFaces {
  /// In shorter sides of the image.
  private static let small = 0.04
  /// In heights of the largest face.
  private static let besideLargest = 0.4
  private static let least = 0.83

  /// The faces without small ones that do not count.
  ///
  /// - Parameters:
  ///   - faces: with boxes in fractions of the image.
  ///   - acceptance: The score of a face.
  static func filtered(_ faces: [Face], in image: PixelSize, acceptance: Double) -> [Face] {
    func height(_ face: Face) -> Double { face.box.height * Double(image.height) / Double(image.shortSide) }
    let largest = faces.filter { $0.score >= acceptance }.map(height).max() ?? 0
    return faces.filter { face in
      let height = height(face)
      return height >= small || (height >= besideLargest * largest && largest > 0 && face.score >= least)
    }
  }
}
