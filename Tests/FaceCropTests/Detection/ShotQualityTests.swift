import TestSupport
import Testing

@testable import FaceCrop

/// The choice among several shots of the same people.
@Suite struct ShotQualityTests {
  /// A shot of people with these distances between their lids, side by side in an image of 400×200 pixels. The boxes of
  /// faces are `height` pixels high.
  private static func shot(
    _ eyes: [Double], sharpness: Double = 0.5, nose: Double = 0, height: Double = 120
  ) -> ShotQuality {
    let faces = eyes.enumerated().map { index, eyes in
      var face = MeshShapeTests.face(nose: nose, eyes: eyes)
      (face.box.x, face.box.height, face.sharpness) = (0.15 + 0.4 * Double(index), height / 200, sharpness)
      return face
    }
    return ShotQuality(of: faces, in: PixelSize(width: 400, height: 200))
  }

  @Test func clearlyClosedEyesLose() {
    #expect(ShotQuality.best(of: [Self.shot([0.17], sharpness: 0.9), Self.shot([0.3])]) == 1)
    // One of two people closes the eyes.
    #expect(ShotQuality.best(of: [Self.shot([0.3, 0.17], sharpness: 0.9), Self.shot([0.3, 0.3])]) == 1)
  }

  /// Narrow eyes are open, if the person has no wider ones. Wide ones need no comparison.
  @Test func peopleAreComparedWithThemselves() {
    #expect(ShotQuality.best(of: [Self.shot([0.18]), Self.shot([0.15], sharpness: 0.9)]) == 1)
    #expect(ShotQuality.best(of: [Self.shot([0.18]), Self.shot([0.13], sharpness: 0.6)]) == 0)
    #expect(ShotQuality.best(of: [Self.shot([0.4]), Self.shot([0.28], sharpness: 0.9)]) == 1)
    #expect(ShotQuality.best(of: [Self.shot([0.18, 0.35]), Self.shot([0.18, 0.3], sharpness: 0.9)]) == 1)
  }

  @Test func facesThatLookHerePrecedeSharpness() {
    #expect(ShotQuality.best(of: [Self.shot([0.3], sharpness: 0.6, nose: 40), Self.shot([0.3])]) == 1)
    #expect(ShotQuality.best(of: [Self.shot([0.17]), Self.shot([0.3], nose: 40)]) == 1)
  }

  @Test func morePeoplePrecedeOpenEyes() {
    #expect(ShotQuality.best(of: [Self.shot([0.3], sharpness: 0.9), Self.shot([0.1, 0.1])]) == 1)
    #expect(ShotQuality.best(of: [Self.shot([]), Self.shot([0.1])]) == 1)
  }

  @Test func theFirstOneWinsATie() {
    #expect(ShotQuality.best(of: [Self.shot([0.3]), Self.shot([0.3]), Self.shot([0.3])]) == 0)
    #expect(ShotQuality.best(of: [Self.shot([]), Self.shot([])]) == 0)
    #expect(ShotQuality.best(of: []) == nil)
  }

  /// A blur of four pixels shows only in the larger image.
  @Test func focusIsComparedInALargerImage() async throws {
    let face = Face(box: NormalizedRect(x: 0.3, y: 0.3, width: 0.4, height: 0.4), score: 0.9)
    let cropper = FaceCropper(detector: StubDetector(found: [face]))
    let sharp = Pixels(width: 800, height: 800, color: [128, 128, 128]).addingNoise(amplitude: 60, seed: 3)
    let soft = sharp.averaged(by: 4).resizedBilinear(width: 800, height: 800)
    func difference(isFine: Bool) async throws -> Double {
      var search = FaceSearch()
      search.measuresFinely = isFine
      var scores: [Double] = []
      for pixels in [sharp, soft] {
        let faces = try await cropper.detect(in: .bytes(encodePNG(pixels)), search: search).faces
        scores.append(try #require(faces.first?.sharpness))
      }
      return scores[0] - scores[1]
    }
    let (fine, rough) = try await (difference(isFine: true), difference(isFine: false))
    #expect(fine > 0.08 && fine > 2 * abs(rough), "\(fine) \(rough)")
  }

  /// The eyes of small faces are not measured.
  @Test func smallFacesAreComparedBySharpness() {
    let sharp = { Self.shot([0.17], sharpness: 0.9, height: $0) }
    #expect(ShotQuality.best(of: [Self.shot([0.3], height: 59), sharp(59)]) == 1)
    #expect(ShotQuality.best(of: [Self.shot([0.3], height: 61), sharp(61)]) == 0)
    // Those of a smaller face still show whether it looks here.
    let turned = Self.shot([0.3], sharpness: 0.6, nose: 40, height: 31)
    #expect(ShotQuality.best(of: [turned, Self.shot([0.3], height: 31)]) == 1)
  }

  /// Blur opens and closes the eyes of the mesh by chance.
  @Test func blurredFacesLose() {
    // Somewhat narrower eyes do not excuse half the sharpness, but closed ones do, and some blur does not outweigh them.
    #expect(ShotQuality.best(of: [Self.shot([0.2], sharpness: 0.3), Self.shot([0.149], sharpness: 0.6)]) == 1)
    #expect(ShotQuality.best(of: [Self.shot([0.2], sharpness: 0.3), Self.shot([0.12], sharpness: 0.6)]) == 0)
    #expect(ShotQuality.best(of: [Self.shot([0.2], sharpness: 0.45), Self.shot([0.149], sharpness: 0.6)]) == 0)
    #expect(ShotQuality.best(of: [Self.shot([0.3], nose: 40), Self.shot([0.3], sharpness: 0.3)]) == 0)
    // Eyes in a very blurred face are unknown.
    #expect(ShotQuality.best(of: [Self.shot([0.3], sharpness: 0.02), Self.shot([0.1])]) == 1)
    // Those in a blurred photo do not decide between sharp ones.
    let sharp = [Self.shot([0.22], sharpness: 0.8), Self.shot([0.19], sharpness: 0.9)]
    #expect(ShotQuality.best(of: [Self.shot([0.27], sharpness: 0.3)] + sharp) == 2)
  }

  /// Eyes just below the limit are as open as those just above it.
  @Test func noiseOfEyesIsNoDifference() {
    let wide = Self.shot([0.25], sharpness: 0.7)
    #expect(ShotQuality.best(of: [wide, Self.shot([0.195], sharpness: 0.8), Self.shot([0.19], sharpness: 0.9)]) == 2)
    #expect(ShotQuality.best(of: [wide, Self.shot([0.195], sharpness: 0.8), Self.shot([0.17], sharpness: 0.9)]) == 1)
  }
}
