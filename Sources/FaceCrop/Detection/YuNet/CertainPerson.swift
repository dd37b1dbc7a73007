/// The rules that end a search for one person early. `make bench-choice` prints how often they apply, the pixels that
/// the network sees, and how often a search that does not end early chooses the same person.
///
/// A search for all faces applies the same rules, chooses the person, and goes on. So every request chooses the same
/// one. All constants were chosen on the two annotated sets of `Benchmarks/FIGURES.md` and variants of their images.
///
/// | constant | value | source |
/// |---|---:|---|
/// | ``score`` | 0.86 | scores from here on get no close-up |
/// | ``height`` | 0.08 longer sides | below, the small pass shows a face in 15 pixels |
/// | ``lesser`` | 0.8 sides of the face | `make bench-choice`: the same person in 0.985 and 0.987 |
/// | ``exactHeight`` | 0.15 longer sides | above, the small pass alone decides if all faces are certain |
enum CertainPerson {
  static let score = 0.86
  private static let height = 0.08
  private static let lesser = 0.8
  /// The height of a face, in longer sides, up to which a close-up refines its box.
  static let exactHeight = 0.15

  private static func largest(of faces: [Face]) -> Face? {
    faces.filter { $0.score >= score && $0.isInPicture }.max { $0.wholeSide < $1.wholeSide }
  }

  /// Returns the person that is certain after the small pass over an image; nil if another candidate may win.
  static func first(of candidates: [Face], in image: PixelSize) -> Face? {
    guard let person = largest(of: candidates),
      person.box.height * Double(image.height) >= height * Double(image.longSide)
    else { return nil }
    let others = candidates.without(person)
    return others.allSatisfy { $0.side < lesser * person.wholeSide } ? person : nil
  }

  /// Returns the least side of a rival, in sides of the image. A rival is a face that can win against the largest
  /// certain one, if that is out of focus. 0 without a certain face.
  static func leastRival(of faces: [Face]) -> Double {
    largest(of: faces).map { FaceSelection.lessFactor * $0.wholeSide } ?? 0
  }
}
