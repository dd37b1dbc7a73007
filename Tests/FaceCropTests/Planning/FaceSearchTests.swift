import TestSupport
import Testing

@testable import FaceCrop

/// The faces that a crop is for.
@Suite struct FaceSearchTests {
  private let picture = PixelSize(width: 1_000, height: 500)

  private func groups(_ search: FaceSearch, _ faces: [Face]) throws -> [[Int]] {
    try CropPlanner().crops(for: faces, in: picture, search: search).map(\.faces)
  }

  private static func face(_ x: Double, height: Double, score: Double = 0.9, sharpness: Double? = nil) -> Face {
    Face(
      box: NormalizedRect(x: x, y: 0.1, width: 0.1, height: height), score: score, sharpness: sharpness)
  }

  @Test func smallFacesAreNoOnes() throws {
    let faces = [Self.face(0.1, height: 0.1), Self.face(0.4, height: 0.2), Self.face(0.7, height: 0.3)]
    func groups(_ selection: FaceSelection, _ least: FaceHeight) throws -> [[Int]] {
      try self.groups(FaceSearch(faces: selection, noFace: .skip, smallestFace: least), faces)
    }
    #expect(try groups(.each, .pixels(100)) == [[1], [2]] && groups(.each, .fraction(0.2)) == [[1], [2]])
    #expect(try groups(.each, .pixels(101)) == [[2]] && groups(.union, .fraction(0.05)) == [[0, 1, 2]])
    // The number stays the one that `detect` prints.
    #expect(try groups(.number(1), .fraction(0.2)).isEmpty && groups(.number(2), .fraction(0.2)) == [[1]])
    #expect(try groups(.largest, .fraction(0.4)).isEmpty)
    for least in [FaceHeight.pixels(0), .fraction(0), .fraction(1.01), .fraction(.nan)] {
      #expect(throws: FaceCropError.self) { try groups(.union, least) }
    }
  }

  @Test func onlyTheLargestCount() throws {
    let faces = [Self.face(0.1, height: 0.2), Self.face(0.4, height: 0.1), Self.face(0.7, height: 0.3)]
    func groups(_ selection: FaceSelection, _ most: Int) throws -> [[Int]] {
      try self.groups(with(FaceSearch(faces: selection, noFace: .skip)) { $0.mostFaces = most }, faces)
    }
    #expect(try groups(.each, 2) == [[0], [2]] && groups(.union, 2) == [[0, 2]] && groups(.each, 9).count == 3)
    #expect(try groups(.number(2), 2).isEmpty && groups(.number(3), 1) == [[2]])
    #expect(throws: FaceCropError.self) { try groups(.each, 0) }
  }

  @Test func theSharpestIsSure() throws {
    let faces = [
      Self.face(0.1, height: 0.2, sharpness: 0.4), Self.face(0.3, height: 0.1, sharpness: 0.6),
      Self.face(0.5, height: 0.3, score: 0.7, sharpness: 0.9), Self.face(0.7, height: 0.3),
    ]
    #expect(try groups(FaceSearch(faces: .sharpest), faces) == [[1]])
    #expect(try groups(FaceSearch(faces: .sharpest), [faces[2]]) == [[0]])
  }

  // MARK: Best guesses

  /// The portrait in the upper left of a gray field.
  private static let (width, height) = (1_024, 768)
  private static func portraitInAField() throws -> [UInt8] {
    let portrait = try astronaut()
    var samples = [UInt8](repeating: 120, count: width * height * 3)
    for y in 0..<portrait.height {
      let row = portrait.samples[y * portrait.width * 3..<(y + 1) * portrait.width * 3]
      samples.replaceSubrange(y * width * 3..<(y * width + portrait.width) * 3, with: row)
    }
    return try JPEGRecipe.baseline420.encode(Pixels(width: width, height: height, channels: 3, samples: samples))
  }

  /// A detector with only guesses: the portrait's face, and a place in the field with a higher score.
  private struct Doubtful: TestDetector {
    var name: String { "doubtful" }
    var score = 0.5

    func faces(in picture: PixelBuffer, for purpose: DetectionPurpose) -> [Face] {
      guard purpose == .possibleFaces else { return [] }
      let face = astronautFace
      let size = PixelSize(width: FaceSearchTests.width, height: FaceSearchTests.height)
      let box = PixelRect(x: face.x, y: face.y, width: face.width, height: face.height).normalized(in: size)
      return [
        Face(box: box, score: score), Face(box: NormalizedRect(x: 0.7, y: 0.6, width: 0.1, height: 0.2), score: 0.6),
      ]
    }
  }

  private func plan(_ policy: NoFacePolicy, least: FaceHeight? = nil) async throws -> CropResult<RenderedCrop> {
    var request = CropRequest(search: FaceSearch(noFace: policy, smallestFace: least))
    request.composition.layout = .framing(.avatar)
    return try await FaceCropper(detector: Doubtful()).crop(.bytes(Self.portraitInAField()), request: request)
  }

  /// The guess with the higher score shows nobody's head and shoulders.
  @Test func possibleFacesFrameOnRequest() async throws {
    let result = try await plan(.bestGuess)
    // It is not among the faces, and is marked as a guess.
    #expect(result.plan.faces.isEmpty && result.plan.possibleFace?.score == 0.5)
    #expect(result.plan.crops.count == 1 && result.plan.crops[0].faces.isEmpty)
    #expect(result.plan.crops[0].region.maxX < 0.6 && result.plan.crops[0].region.maxY < 0.6)
    #expect(result.warnings.contains(.possibleFace(score: 0.5)))
    let center = try await plan(.center)
    #expect(center.plan.possibleFace == nil && center.plan.crops[0].region.midX == 0.5)
    let low = try await plan(.bestGuess, least: .fraction(0.3))
    #expect(low.plan.possibleFace == nil && low.plan.crops == center.plan.crops && low.warnings.isEmpty)
    await #expect(throws: FaceCropError.noFace) { try await plan(.fail) }
    #expect(try await plan(.skip).crops.isEmpty)
  }

  /// The reason names what was requested.
  @Test func missingFacesAreNamed() {
    let size = PixelSize(width: 400, height: 400)
    let plan = CropPlan(source: size, detector: "", faces: [Self.face(0.2, height: 0.2)], crops: [])
    let empty = CropPlan(source: size, detector: "", faces: [], crops: [])
    func missing(_ faces: FaceSelection, _ least: FaceHeight? = nil, in plan: CropPlan) -> MissingFace {
      FaceSearch(faces: faces, smallestFace: least).missingFace(in: plan)
    }
    #expect(missing(.person("Zoe"), in: plan) == .person("Zoe") && missing(.tagged, in: empty) == .tagged)
    #expect(missing(.number(3), in: empty) == .noFace && missing(.number(3), in: plan) == .number(3))
    #expect(missing(.number(1), .pixels(99), in: plan) == .lowNumber(1, least: .pixels(99)))
    // It is high enough, but beyond the limit of faces.
    #expect(missing(.number(1), .pixels(80), in: plan) == .number(1))
    #expect(missing(.largest, .fraction(0.5), in: plan) == .low(least: .fraction(0.5)))
    #expect("\(MissingFace.low(least: .fraction(0.5)))" == "no face is at least 50 % as high as the image")
  }

  /// An image without a face has no guess, and an image with a face needs none.
  @Test func theNetworkSaysWhatMayBeAFace() async throws {
    let cropper = FaceCropper()
    let wall = try JPEGRecipe.baseline420.encode(.noise(width: 300, height: 200))
    for (picture, faces) in [(wall, 0), (try fixtureBytes("astronaut.jpg"), 1)] {
      let found = try await cropper.detect(in: .bytes(picture), search: FaceSearch(noFace: .bestGuess))
      #expect(found.faces.count == faces && found.possibleFaces.isEmpty)
    }
    let portrait = try referenceDecode(fixtureBytes("astronaut.jpg")).pixels
    let ready = YuNetFaceDetector().prepare()
    let all = try ready.faces(in: PixelBuffer(portrait), for: .possibleFaces)
    let sure = try ready.faces(in: PixelBuffer(portrait), for: .allFaces)
    #expect(all.count >= sure.count && all.allSatisfy { $0.score >= 0.4 } && sure.allSatisfy { $0.score >= 0.65 })
    // The last result does not affect another image.
    #expect(try ready.faces(in: PixelBuffer(referenceDecode(wall).pixels), for: .allFaces).isEmpty)
    #expect(try ready.faces(in: PixelBuffer(portrait), for: .allFaces) == sure)
  }

  // MARK: Sharpness

  /// The same face, softer and softer.
  @Test func blurIsLessSharp() throws {
    let portrait = PixelBuffer(try referenceDecode(fixtureBytes("astronaut.jpg")).pixels)
    let face = Face(box: NormalizedRect(x: 0.35, y: 0.13, width: 0.18, height: 0.22), score: 1)
    var last = 1.0
    for side in [512, 256, 128, 64, 32] {
      let soft = try portrait.resized(toLongSide: side).resized(toLongSide: 512)
      let score = try #require(try FaceSharpness(in: soft).score(of: face))
      #expect(score < last && score > 0, "\(side): \(score)")
      last = score
    }
    #expect(last < 0.15)
  }

  /// Darkness and low contrast are not blur.
  @Test func contrastDoesNotCount() throws {
    let portrait = PixelBuffer(try referenceDecode(fixtureBytes("astronaut.jpg")).pixels)
    let dull = PixelBuffer(
      size: portrait.size, format: portrait.format, bytes: portrait.bytes.map { UInt8(20 + Int($0) / 3) })
    let face = Face(box: NormalizedRect(x: 0.35, y: 0.13, width: 0.18, height: 0.22), score: 1)
    let (sharp, other) = (try FaceSharpness(in: portrait).score(of: face), try FaceSharpness(in: dull).score(of: face))
    #expect(abs(try #require(sharp) - (try #require(other))) < 0.05)
    let flat = PixelBuffer(Pixels(width: 200, height: 200, color: [90, 90, 90]))
    let none = try FaceSharpness(in: flat).score(of: face)
    #expect(none == 0)
    let tiny = PixelBuffer(Pixels(width: 6, height: 6, color: [90, 90, 90]))
    let unknown = try FaceSharpness(in: tiny).score(of: face)
    #expect(unknown == nil)
  }
}
