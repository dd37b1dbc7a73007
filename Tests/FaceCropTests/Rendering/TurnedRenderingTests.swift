import TestSupport
import Testing

@testable import FaceCrop

/// Outputs with aligned eyes.
@Suite struct TurnedRenderingTests {
  private static func points(_ degrees: Double, _ size: PixelSize, _ map: AffineMap) -> Face {
    func point(_ x: Double, _ y: Double) -> NormalizedPoint {
      let (r, w, h) = (map.rows, Double(size.width), Double(size.height))
      return NormalizedPoint(x: (r[0] * x + r[1] * y + r[2]) / w, y: (r[3] * x + r[4] * y + r[5]) / h)
    }
    let (x, y) = (Double(size.width) / 2, Double(size.height) / 2)
    var face = Face(
      box: NormalizedRect(x: 0.4, y: 0.4, width: 0.2, height: 0.2), score: 1,
      landmarks: FaceLandmarks(
        rightEye: point(x - 30, y - 20), leftEye: point(x + 30, y - 20), nose: point(x, y),
        mouthRight: point(x - 20, y + 30),
        mouthLeft: point(x + 20, y + 30)))
    // Fixed edges instead of measured ones, equal for every angle.
    func edge(_ place: Double) -> Head.Edge { Head.Edge(position: place, confidence: 1) }
    face.head = Head(crown: edge(0.34), skull: edge(0.36), chin: edge(0.6), left: edge(0.38), right: edge(0.62))
    return face
  }

  /// A tilted portrait gives the upright portrait's crop, at each scale, from each kind of file.
  @Test(arguments: [-30.0, 7, 45], [64, 150, 460])
  func aLeaningPortraitComesOutUpright(degrees: Double, side: Int) async throws {
    let portrait = PixelBuffer(try largePortrait(width: 1_600, height: 1_600))
    let size = portrait.size
    let middle = (Double(size.width) / 2 - 0.5, Double(size.height) / 2 - 0.5)
    let map = AffineMap(degrees: -degrees, scale: 1, center: middle, target: middle)
    let leaning = try portrait.warped(by: map, to: size, isFine: true)
    func avatar(_ picture: PixelBuffer, _ face: Face, levels: Bool) async throws -> (PixelBuffer, CropPlan) {
      var request = CropRequest()
      request.composition.layout = .framing(.avatar)
      request.output.sizes = [.longSide(side)]
      request.composition.alignsEyes = levels
      let result = try await FaceCropper(detector: StubDetector(found: [face])).crop(
        .bytes(JPEGRecipe.baseline444.with { $0.quality = 100 }.encode(Pixels(picture))), request: request)
      #expect(result.warnings.isEmpty)
      return (result.crops[0].pixels, result.plan)
    }
    let flat = AffineMap(degrees: 0, scale: 1, center: middle, target: middle)
    let (upright, _) = try await avatar(portrait, Self.points(0, size, flat), levels: false)
    let (leveled, plan) = try await avatar(leaning, Self.points(degrees, size, map), levels: true)
    #expect(abs(try #require(plan.crops[0].turn).degrees - degrees) < 0.01)
    #expect(leveled.size == upright.size)
    #expect(Pixels(leveled).meanDifference(from: Pixels(upright)) < 3)
    // A wrong direction, or a wrong angle, would give another image.
    let (plain, _) = try await avatar(leaning, Self.points(degrees, size, map), levels: false)
    #expect(Pixels(plain).meanDifference(from: Pixels(upright)) > 3)
  }

  /// The fill covers the rotated frame.
  @Test(arguments: [PadFill.edge, .blur, .color(red: 200, green: 10, blue: 10)])
  func cornersOutsideAreFilled(fill: PadFill) async throws {
    let picture = Pixels(width: 400, height: 300, color: [20, 120, 220])
    let size = PixelSize(width: 400, height: 300)
    let middle = (200.0, 150.0)
    var face = Self.points(20, size, AffineMap(degrees: -20, scale: 1, center: middle, target: middle))
    face.box = NormalizedRect(x: 0.3, y: 0.2, width: 0.4, height: 0.6)
    face.head = nil
    var request = CropRequest()
    request.composition.layout = .framing(.avatar)
    request.composition.alignsEyes = true
    request.pad(by: fill)
    let crop = try await FaceCropper(detector: StubDetector(found: [face])).crop(
      .bytes(JPEGRecipe.baseline444.with { $0.quality = 100 }.encode(picture)), request: request
    ).crops[0]
    let pixels = Pixels(crop.pixels)
    let side = pixels.width
    #expect((390...400).contains(side) && pixels.height == side)
    let corner = Array(pixels.samples[..<3]).map(Int.init)
    let center = Array(pixels.samples[(side / 2 * side + side / 2) * 3..<(side / 2 * side + side / 2 + 1) * 3]).map(
      Int.init)
    func near(_ color: [Int], _ wanted: [Int]) -> Bool { zip(color, wanted).allSatisfy { abs($0 - $1) <= 3 } }
    #expect(near(center, [20, 120, 220]))
    if case .color = fill { #expect(near(corner, [200, 10, 10])) } else { #expect(near(corner, [20, 120, 220])) }
  }

  /// A hostile plan stays within the limits, and is checked.
  @Test func strangersTurnsAreRefused() async throws {
    let source = ImageSource.bytes(try JPEGRecipe.baseline420.encode(.noise(width: 64, height: 64)))
    let size = PixelSize(width: 64, height: 64)
    for turn in [
      CropPlan.Crop.Turn(degrees: .nan, rect: .whole), .init(degrees: 400, rect: .whole),
      .init(degrees: 10, rect: NormalizedRect(x: 0, y: 0, width: 1e9, height: 1)),
      .init(degrees: 10, rect: NormalizedRect(x: .infinity, y: 0, width: 1, height: 1)),
      .init(degrees: 10, rect: NormalizedRect(x: 0, y: 0, width: 0, height: 1)),
    ] {
      let plan = CropPlan(
        source: size, detector: "x", faces: [], crops: [.init(region: .whole, turn: turn, faces: [])])
      let error = await #expect(throws: FaceCropError.self) { try await FaceCropper().render(plan, from: source) }
      #expect(error?.kind == "invalid")
    }
    let far = CropPlan.Crop.Turn(degrees: 10, rect: NormalizedRect(x: 15, y: -15, width: 1, height: 1))
    let plan = CropPlan(source: size, detector: "x", faces: [], crops: [.init(region: .whole, turn: far, faces: [])])
    let error = await #expect(throws: FaceCropError.self) { try await FaceCropper().render(plan, from: source) }
    #expect(error?.kind == "invalid")
  }

  /// A frame of many times the image costs as much as its outputs, not as much as at the image's resolution.
  @Test func largeFramesAreTurnedSmall() async throws {
    let size = PixelSize(width: 512, height: 512)
    let source = ImageSource.bytes(
      PNGBuilder(Pixels(width: size.width, height: size.height, color: [20, 120, 220])).encoded())
    let large = NormalizedRect(x: -9.5, y: -9.5, width: 20, height: 20)
    let plan = CropPlan(
      source: size, detector: "x", faces: [],
      crops: [.init(region: .whole, frame: large, turn: .init(degrees: 180, rect: large), faces: [])])
    var limits = Limits()
    limits.regionBytes = 4 << 20
    var output = CropOutput()
    output.sizes = [.longSide(200)]
    output.fill = .color(red: 200, green: 10, blue: 10)
    let crop = try await FaceCropper(limits: limits).render(plan, from: source, output: output).crops[0]
    let pixels = Pixels(crop.pixels)
    #expect(pixels.width == 200 && pixels.height == 200)
    func color(_ x: Int, _ y: Int) -> [UInt8] { Array(pixels.samples[(y * 200 + x) * 3..<(y * 200 + x) * 3 + 3]) }
    // The image is a twentieth of it, in the middle.
    #expect(color(100, 100) == [20, 120, 220])
    #expect(color(90, 100) == [200, 10, 10] && color(5, 5) == [200, 10, 10])
  }

  /// With the real detector, a real portrait gives the same avatar at any tilt, within a degree.
  @Test(arguments: [-35.0, -15, 20, 40]) func theDetectorFindsTheLean(degrees: Double) async throws {
    let portrait = PixelBuffer(try astronaut())
    let detector = YuNetFaceDetector()
    let upright = try #require(try detector.found(in: portrait).first)
    let middle = (Double(portrait.width) / 2 - 0.5, Double(portrait.height) / 2 - 0.5)
    // Smaller, so that all of it stays inside.
    let leaning = try portrait.warped(
      by: AffineMap(degrees: -degrees, scale: 0.8, center: middle, target: middle), to: portrait.size)
    let found = try #require(try detector.found(in: leaning).first)
    let level = try #require(try detector.found(in: portrait, for: .landmarks(of: upright)).first)
    let before = try #require(level.lean(in: portrait.size))
    let exact = try #require(try detector.found(in: leaning, for: .landmarks(of: found)).first)
    let lean = try #require(exact.lean(in: leaning.size))
    #expect(abs(lean - before - degrees) < 1.5)
    #expect(exact.box == found.box && exact.isValid)
  }

  /// A mesh far from the known landmarks may be another face's.
  @Test func landmarksElsewhereAreNotTaken() throws {
    let portrait = PixelBuffer(try astronaut())
    let detector = YuNetFaceDetector()
    let found = try #require(try detector.found(in: portrait).first)
    func exact(movedBy part: Double) throws -> (moved: Face, exact: Face?) {
      var moved = found
      let points = try #require(found.landmarks).points.map {
        NormalizedPoint(x: $0.x, y: $0.y - part * found.box.height)
      }
      moved.landmarks = FaceLandmarks(
        rightEye: points[0], leftEye: points[1], nose: points[2], mouthRight: points[3], mouthLeft: points[4])
      return (moved, try detector.found(in: portrait, for: .landmarks(of: moved)).first)
    }
    let near = try exact(movedBy: 0.1)
    #expect(near.exact?.landmarks != near.moved.landmarks)
    let far = try exact(movedBy: 0.5)
    #expect(far.exact == far.moved)
  }
}
