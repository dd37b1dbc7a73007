import Foundation
import TestSupport
import Testing

@testable import FaceCrop

/// Lengths in meshes, and the heads of documents by them.
@Suite struct MeshShapeTests {
  private static let size = PixelSize(width: 400, height: 200)

  /// Returns a face with its box's center at (120, 100), cheeks 60 to either side, and the chin 70 below. The nose lies
  /// `nose` beside the middle, and the lids are `eyes` widths of an eye apart. It is rotated clockwise about the center.
  static func face(nose: Double = 0, eyes: Double = 0, degrees: Double = 0) -> Face {
    let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
    func point(_ x: Double, _ y: Double) -> NormalizedPoint {
      NormalizedPoint(x: (120 + cosine * x - sine * y) / 400, y: (100 + sine * x + cosine * y) / 200)
    }
    var mesh = [NormalizedPoint](repeating: point(0, 0), count: 468)
    for (index, place) in [234: (-60.0, 0.0), 454: (60, 0), 152: (0, 70), 4: (nose, 20)] {
      mesh[index] = point(place.0, place.1)
    }
    for (indices, x) in [([33, 133, 159, 145], -25.0), ([263, 362, 386, 374], 25)] {
      for index in indices { mesh[index] = point(x, -10) }
      (mesh[indices[0]], mesh[indices[1]]) = (point(1.4 * x, -10), point(0.6 * x, -10))
    }
    for (upper, lower) in [(159, 145), (158, 153), (160, 144), (386, 374), (385, 380), (387, 373)] {
      let x = upper < 200 ? -25.0 : 25
      (mesh[upper], mesh[lower]) = (point(x, -10 - 10 * eyes), point(x, -10 + 10 * eyes))
    }
    var face = Face(
      box: NormalizedRect(x: 0.15, y: 0.2, width: 0.3, height: 0.6), score: 1, landmarks: FaceLandmarks(mesh: mesh))
    face.mesh = mesh
    return face
  }

  @Test(arguments: [0.0, 20, -35])
  func lengthsDoNotDependOnTheTilt(degrees: Double) throws {
    let shape = try #require(MeshShape(of: Self.face(nose: 15, degrees: degrees), in: Self.size))
    #expect(abs(shape.chin - 70) < 1e-6 && abs(shape.width - 120) < 1e-6 && abs(shape.turn - 0.25) < 1e-6)
  }

  /// The wider eye of a face that turns is the measure.
  @Test(arguments: [0.0, 20, -35]) func lidsAreMeasuredInWidthsOfAnEye(degrees: Double) throws {
    var face = Self.face(eyes: 0.3, degrees: degrees)
    #expect(abs(try #require(MeshShape(of: face, in: Self.size)).eyeGap - 0.3) < 1e-6)
    face.mesh![33] = face.mesh![133]
    #expect(abs(try #require(MeshShape(of: face, in: Self.size)).eyeGap - 0.3) < 0.02)
  }

  /// The width counts in faces from the front, and the box in others. Hats have an end.
  @Test func heightsComeFromCrownAndSize() throws {
    func height(crown: Double, nose: Double) throws -> Double {
      try #require(MeshShape(of: Self.face(nose: nose), in: Self.size)).headHeight(crown: crown, box: 150)
    }
    #expect(abs(try height(crown: 200, nose: 0) - (0.62 * 200 + 0.42 * 168)) < 1e-6)
    #expect(abs(try height(crown: 200, nose: 12) - (0.62 * 200 + 0.42 * 159)) < 1e-6)
    #expect(abs(try height(crown: 200, nose: 40) - (0.62 * 200 + 0.42 * 150)) < 1e-6)
    #expect(try height(crown: 285, nose: 0) < height(crown: 286, nose: 0))
    #expect(try height(crown: 287, nose: 0) == height(crown: 400, nose: 0))
  }

  @Test func facesWithoutAMeshHaveNoShape() {
    var face = Self.face()
    face.mesh = nil
    #expect(MeshShape(of: face, in: Self.size) == nil)
    face.mesh = []
    #expect(MeshShape(of: face, in: Self.size) == nil)
    // A mesh without a width.
    face.mesh = [NormalizedPoint](repeating: NormalizedPoint(x: 0.5, y: 0.5), count: 468)
    #expect(MeshShape(of: face, in: Self.size) == nil)
  }

  /// A passport photo takes landmarks and chin from the mesh, and an avatar does not. Neither plan has the mesh. The
  /// chin lies at 176, and the box ends at 177.7.
  @Test func documentsMeasureHeadsByTheMesh() async throws {
    let source = ImageSource.bytes(try JPEGRecipe.baseline420.encode(astronaut()))
    let cropper = FaceCropper()
    let search = FaceSearch(faces: .largest)
    func face(_ framing: Framing) async throws -> Face {
      let plan = try await cropper.plan(for: source, search: search, composition: Composition(.framing(framing)))
      return try #require(plan.faces.first)
    }
    let (photo, avatar) = (try await face(.passport), try await face(.avatar))
    let exact = try #require(await cropper.detect(in: source, search: search, alignsEyes: true).faces.first)
    #expect(photo.landmarks == exact.landmarks && avatar.landmarks != exact.landmarks)
    #expect(photo.mesh == nil && avatar.mesh == nil)
    let (chin, box) = (try #require(photo.head).chin.position * 512, try #require(avatar.head).chin.position * 512)
    #expect(abs(chin - 175.7) < 0.5 && abs(box - 177.7) < 0.5, "\(chin) \(box)")
    let skull = try #require(photo.head).skull.position * 512
    #expect((20...28).contains(skull), "\(skull)")
  }
}
