import CNetworks
import Foundation
import TestSupport
import Testing

@testable import FaceCrop

/// The mesh's kernels, compared with the authors' network in floats, and with each other; and the landmarks of the mesh.
@Suite struct MeshNetworkTests {
  /// `models/face_mesh.py` made the expected points from the authors' file. The kernels compute in integers.
  @Test func pointsAreNearlyTheAuthors() throws {
    let side = MeshNetwork.side
    let image = PixelBuffer(try astronaut()).cropped(to: PixelRect(x: 128, y: 24, width: side, height: side))
    let expected = try JSONDecoder().decode([[Double]].self, from: Data(fixtureBytes("face_mesh.json")))
    let found = try MeshNetwork().mesh(of: image)
    #expect(found.points.count == expected.count && found.score > 0.99)
    // The face has 114 pixels, and this is 0.3 % of it.
    for (point, place) in zip(found.points, expected) {
      let distance = hypot(point.x * Double(side) - place[0], point.y * Double(side) - place[1])
      #expect(distance < 0.34, "\(distance)")
    }
  }

  /// Points are identical on every machine.
  @Test func instructionSetsAgree() throws {
    let portrait = try astronaut()
    for picture in [
      portrait.resizedBilinear(width: 192, height: 192), portrait.cropped(x: 150, y: 40, width: 150, height: 150),
      Pixels.noise(width: 192, height: 192, channels: 3, seed: 3), Pixels.noise(width: 7, height: 120, channels: 3),
    ] {
      let meshes = try instructionSets.map { try Self.mesh(of: picture, by: $0) }
      for (mesh, name) in zip(meshes, instructionSets) { #expect(mesh == meshes[0], "\(name), \(picture.width)") }
    }
  }

  /// A run leaves nothing behind that changes the next one.
  @Test func otherImagesDoNotMatter() throws {
    let image = PixelBuffer(try astronaut()).cropped(to: PixelRect(x: 128, y: 24, width: 192, height: 192))
    let network = try MeshNetwork()
    let first = try network.mesh(of: image)
    _ = try network.mesh(of: PixelBuffer(Pixels.noise(width: 192, height: 192, channels: 3, seed: 5)))
    let again = try network.mesh(of: image)
    #expect(first.points == again.points && first.score == again.score)
  }

  @Test func sizesAboveTheNetworksAreRefused() throws {
    #expect(throws: FaceCropError.self) {
      try MeshNetwork().mesh(of: PixelBuffer(Pixels(width: 193, height: 16, color: [0, 0, 0])))
    }
  }

  /// The places were marked by eye. YuNet's landmarks are 0.07 off.
  @Test func landmarksLieWherePeopleMarkThem() throws {
    let portrait = PixelBuffer(try astronaut())
    let detector = YuNetFaceDetector()
    let found = try #require(try detector.found(in: portrait).first)
    let exact = try #require(try detector.found(in: portrait, for: .landmarks(of: found)).first?.landmarks)
    let marks = [(203.3, 100.8), (247, 103.3), (223.5, 127), (202.8, 139.5), (245.5, 140)]
    let distances = zip(exact.points, marks).map { hypot($0.x * 512 - $1.0, $0.y * 512 - $1.1) }
    #expect(distances.reduce(0, +) / 5 / 43.8 < 0.04, "\(distances)")
  }

  /// A sleeve is no face, however the detector's landmarks lie on it.
  @Test func landmarksStayWhereTheMeshSeesNoFace() throws {
    let portrait = PixelBuffer(try astronaut())
    let box = PixelRect(x: 300, y: 300, width: 100, height: 120)
    func point(_ x: Double, _ y: Double) -> NormalizedPoint {
      NormalizedPoint(x: (300 + 100 * x) / 512, y: (300 + 120 * y) / 512)
    }
    let face = Face(
      box: box.normalized(in: portrait.size), score: 0.7,
      landmarks: FaceLandmarks(
        rightEye: point(0.3, 0.4), leftEye: point(0.7, 0.4), nose: point(0.5, 0.6), mouthRight: point(0.35, 0.8),
        mouthLeft: point(0.65, 0.8)))
    #expect(try YuNetFaceDetector().found(in: portrait, for: .landmarks(of: face)) == [face])
  }

  /// Meshes are found on request only, for all faces that count, and plans keep them.
  @Test func facesHaveAMeshOnRequest() async throws {
    let source = ImageSource.bytes(try JPEGRecipe.baseline420.encode(twoAstronauts()))
    let cropper = FaceCropper()
    // Only a face with a crop of its own is aligned.
    var search = FaceSearch(faces: .each)
    #expect(try await cropper.detect(in: source, search: search, alignsEyes: true).faces.allSatisfy { $0.mesh == nil })
    search = FaceSearch()
    search.findsMeshes = true
    let faces = try await cropper.detect(in: source, search: search).faces
    #expect(faces.count == 2)
    for face in faces {
      let (mesh, landmarks) = (try #require(face.mesh), try #require(face.landmarks))
      #expect(mesh.count == 468 && mesh[4] == landmarks.nose && mesh[61] == landmarks.mouthRight)
    }
    let plan = try await cropper.plan(for: source, search: search)
    #expect(plan.faces.compactMap(\.mesh).count == 2)
    let copy = try JSONDecoder().decode(CropPlan.self, from: JSONEncoder().encode(plan))
    #expect(copy.faces == plan.faces)
    search.faces = .largest
    #expect(try await cropper.plan(for: source, search: search).faces.compactMap(\.mesh).count == 1)
  }

  /// A mesh rotates with its face, and its numbers are finite.
  @Test func theMeshesOfAFaceMoveWithIt() throws {
    let points = [NormalizedPoint(x: 0.25, y: 0.5)]
    var face = Face(box: NormalizedRect(x: 0.2, y: 0.4, width: 0.2, height: 0.2), score: 1)
    face.mesh = points
    #expect(face.before(.none).mesh == points && face.before(.half).mesh == [NormalizedPoint(x: 0.75, y: 0.5)])
    face.mesh = [NormalizedPoint(x: .nan, y: 0)]
    #expect(!face.isValid)
  }

  private struct Mesh: Equatable {
    var numbers: [Float]
    var score: Float
  }

  private static func mesh(of picture: Pixels, by instructionSet: String) throws -> Mesh {
    let made = unsafe fcmesh_create(instructionSet)
    guard let network = unsafe made else { throw FixtureError("no network for \(instructionSet)") }
    defer { unsafe fcmesh_destroy(network) }
    var points = [FCMeshPoint](repeating: FCMeshPoint(), count: Int(FCMESH_POINTS))
    var score: Float = 0
    let status = unsafe picture.samples.withUnsafeBufferPointer { pixels in
      unsafe fcmesh_run(
        network,
        FCNetworkImage(
          pixels: pixels.baseAddress!, width: UInt32(picture.width), height: UInt32(picture.height),
          stride: picture.width * 3), &points, &score)
    }
    guard status == .ok else { throw FixtureError("the network failed: \(status)") }
    #expect(unsafe fcmesh_memory(network) < 512 << 10)
    return Mesh(numbers: points.flatMap { [$0.x, $0.y, $0.z] }, score: score)
  }
}
