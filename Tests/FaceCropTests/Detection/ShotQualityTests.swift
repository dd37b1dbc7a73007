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

  @Test func openEyesPrecedeSharpness() {
    #expect(ShotQuality.best(of: [Self.shot([0.17], sharpness: 0.9), Self.shot([0.3])]) == 1)
    // One of two people closes the eyes.
    #expect(ShotQuality.best(of: [Self.shot([0.3, 0.17], sharpness: 0.9), Self.shot([0.3, 0.3])]) == 1)
  }

  /// Narrow eyes are open, if the person has no wider ones. Wide ones need no comparison.
  @Test func peopleAreComparedWithThemselves() {
    #expect(ShotQuality.best(of: [Self.shot([0.18]), Self.shot([0.15], sharpness: 0.9)]) == 1)
    #expect(ShotQuality.best(of: [Self.shot([0.18]), Self.shot([0.13], sharpness: 0.9)]) == 0)
    #expect(ShotQuality.best(of: [Self.shot([0.4]), Self.shot([0.28], sharpness: 0.9)]) == 1)
    #expect(ShotQuality.best(of: [Self.shot([0.18, 0.35]), Self.shot([0.18, 0.3], sharpness: 0.9)]) == 1)
  }

  @Test func facesThatLookHerePrecedeSharpness() {
    #expect(ShotQuality.best(of: [Self.shot([0.3], sharpness: 0.9, nose: 40), Self.shot([0.3])]) == 1)
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
    #expect(ShotQuality.best(of: [Self.shot([0.3], height: 29), sharp(29)]) == 1)
    #expect(ShotQuality.best(of: [Self.shot([0.3], height: 31), sharp(31)]) == 0)
  }
}
