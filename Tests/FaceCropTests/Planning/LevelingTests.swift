import Glibc
import Testing

@testable import FaceCrop

@Suite struct LevelingTests {
  /// Returns a face whose eyes are tilted clockwise, with matching landmarks.
  static func face(_ box: PixelRect, leaning degrees: Double, in size: PixelSize) -> Face {
    let (middle, side) = (
      (Double(box.x) + Double(box.width) / 2, Double(box.y) + Double(box.height) / 2), Double(box.height)
    )
    func point(_ x: Double, _ y: Double) -> NormalizedPoint {
      let (c, s) = (cos(degrees * .pi / 180), sin(degrees * .pi / 180))
      return NormalizedPoint(
        x: (middle.0 + side * (c * x - s * y)) / Double(size.width),
        y: (middle.1 + side * (s * x + c * y)) / Double(size.height))
    }
    return Face(
      box: box.normalized(in: size), score: 1,
      landmarks: FaceLandmarks(
        rightEye: point(-0.2, -0.1), leftEye: point(0.2, -0.1), nose: point(0, 0.1), mouthRight: point(-0.15, 0.3),
        mouthLeft: point(0.15, 0.3)))
  }

  private static func crop(
    _ face: Face, in size: PixelSize, _ change: (inout CropRequest) -> Void = { _ in }
  ) throws -> CropPlan.Crop {
    var request = CropRequest()
    request.composition.layout = .framing(.avatar)
    request.composition.alignsEyes = true
    change(&request)
    return try CropPlanner().crops(for: [face], in: size, search: request.search, composition: request.composition)[0]
  }

  /// Returns the corners of a rotated rectangle, in pixels of the image.
  private static func corners(_ turn: CropPlan.Crop.Turn, in size: PixelSize) -> [(x: Double, y: Double)] {
    let rect = turn.rect.frame(in: size)
    let (c, s) = (cos(turn.degrees * .pi / 180), sin(turn.degrees * .pi / 180))
    return [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1)].map { x, y in
      let (dx, dy) = (x * rect.width / 2, y * rect.height / 2)
      return (rect.midX + c * dx - s * dy, rect.midY + s * dx + c * dy)
    }
  }

  /// The share that is filled is limited in rotated frames, too.
  @Test func theFilledShareIsLimited() throws {
    let size = PixelSize(width: 800, height: 600)
    let face = Self.face(PixelRect(x: 30, y: 60, width: 160, height: 160), leaning: 20, in: size)
    func share(_ most: Double) throws -> Double {
      let framing = with(Framing.avatar) { $0.largestPaddedShare = most }
      let crop = try Self.crop(face, in: size) { $0.composition.layout = .framing(framing, edge: .pad) }
      #expect(crop.turn != nil)
      return CropPlan(source: size, detector: "", faces: [face], crops: [crop]).paddedShares[0]
    }
    let all = try share(1)
    #expect(all > 0.12)
    for most in [0.1, 0.05] {
      let limited = try share(most)
      #expect(limited <= most && limited > most - 0.02, "\(limited)")
    }
    #expect(try share(0) == 0)
  }

  /// For every face and image, the rotated frame lies in the image, contains the face, and has the aspect within a
  /// pixel. If there is no room, the crop is the same as without alignment.
  @Test func framesLieInThePictureAndHoldTheFace() throws {
    var random = SplitMix64(seed: 11)
    var turned = 0
    for _ in 0..<4_000 {
      let size = PixelSize(
        width: .random(in: 40...3_000, using: &random), height: .random(in: 40...3_000, using: &random))
      let side = Int.random(in: 10...max(size.shortSide / 2, 10), using: &random)
      let box = PixelRect(
        x: .random(in: 0...size.width - side, using: &random), y: .random(in: 0...size.height - side, using: &random),
        width: side, height: side)
      let degrees = Double.random(in: -59...59, using: &random)
      let framing = [Framing.avatar, .portrait, .passport, .tight].randomElement(using: &random)!
      let face = Self.face(box, leaning: degrees, in: size)
      let crop = try Self.crop(face, in: size) { $0.composition.layout = .framing(framing) }
      guard let turn = crop.turn else {
        let plain = try Self.crop(face, in: size) {
          $0.composition.layout = .framing(framing)
          $0.composition.alignsEyes = false
        }
        #expect(crop == plain)
        continue
      }
      turned += 1
      #expect(abs(turn.degrees - degrees) < 1e-6 && crop.frame == nil && turn.isUsable && crop.region.isValid)
      let trial = "\(box) in \(size) by \(degrees)"
      let corners = Self.corners(turn, in: size)
      let region = PixelRect(covering: crop.region, in: size)
      for corner in corners {
        #expect(
          corner.x >= Double(region.x) - 0.02 && corner.x <= Double(region.x + region.width) + 0.02
            && corner.y >= Double(region.y) - 0.02 && corner.y <= Double(region.y + region.height) + 0.02, "\(trial)")
      }
      let rect = turn.rect.frame(in: size)
      let ratio = framing.aspect.width / framing.aspect.height
      #expect(abs(rect.width - rect.height * ratio) <= 1 + ratio / 2, "\(trial)")
      // The face's box, rotated with the head, is inside.
      let alignment = try #require(Alignment(of: face, in: size))
      let middle = alignment.leveled(rect.midX, rect.midY)
      let slack = 0.03
      #expect(
        middle.x - rect.width / 2 <= Double(box.x) + slack
          && middle.x + rect.width / 2 >= Double(box.x + side) - slack
          && middle.y - rect.height / 2 <= Double(box.y) + slack
          && middle.y + rect.height / 2 >= Double(box.y + side) - slack, "\(trial)")
    }
    #expect(turned > 2_500)
  }

  /// A request for aligned eyes that is not met gets a reason.
  @Test func warnsOfEyesThatAreNotAligned() throws {
    let size = PixelSize(width: 1_000, height: 800)
    let box = PixelRect(x: 400, y: 300, width: 100, height: 120)
    func warning(_ face: Face, turned: Bool = false) -> CropWarning? {
      let turn = CropPlan.Crop.Turn(degrees: 20, rect: NormalizedRect(x: 0.2, y: 0.2, width: 0.5, height: 0.5))
      let crop = CropPlan.Crop(region: .whole, turn: turned ? turn : nil, faces: [0])
      return CropPlan(source: size, detector: "x", faces: [face], crops: [crop]).reasonNotAligned(crop)
    }
    #expect(warning(Self.face(box, leaning: 0.3, in: size)) == nil)
    #expect(warning(Self.face(box, leaning: 20, in: size), turned: true) == nil)
    #expect(warning(Self.face(box, leaning: 20, in: size)) == .notAligned(.noRoom))
    for degrees in [61.0, -90, 180] {
      #expect(warning(Self.face(box, leaning: degrees, in: size)) == .notAligned(.leansTooFar))
    }
    var eyeless = Self.face(box, leaning: 20, in: size)
    eyeless.landmarks = nil
    #expect(warning(eyeless) == .notAligned(.noEyes))
  }

  @Test func levelOrUnknownEyesStay() throws {
    let size = PixelSize(width: 1_000, height: 800)
    let box = PixelRect(x: 400, y: 300, width: 100, height: 120)
    for degrees in [0, 0.3, -0.3, 70, 120, 180] {
      #expect(try Self.crop(Self.face(box, leaning: degrees, in: size), in: size).turn == nil)
    }
    var eyeless = Self.face(box, leaning: 20, in: size)
    eyeless.landmarks = nil
    #expect(try Self.crop(eyeless, in: size).turn == nil)
    // Several faces have different tilts.
    var request = CropRequest()
    request.composition.alignsEyes = true
    let faces = [Self.face(box, leaning: 20, in: size), Self.face(box, leaning: -20, in: size)]
    #expect(
      try CropPlanner().crops(for: faces, in: size, search: request.search, composition: request.composition).allSatisfy
      { $0.turn == nil })
  }

  /// With room around it, a tilted head is placed like an upright one.
  @Test(arguments: [-40.0, -5, 12, 33]) func placedAsAnUprightHead(degrees: Double) throws {
    let size = PixelSize(width: 3_000, height: 3_000)
    let box = PixelRect(x: 1_400, y: 1_400, width: 200, height: 200)
    let upright = try Self.crop(Self.face(box, leaning: 0, in: size), in: size)
    let turn = try #require(try Self.crop(Self.face(box, leaning: degrees, in: size), in: size).turn)
    let plain = upright.region.frame(in: size)
    let rect = turn.rect.frame(in: size)
    #expect(abs(rect.width - plain.width) <= 1 && abs(rect.height - plain.height) <= 1)
    let alignment = try #require(Alignment(of: Self.face(box, leaning: degrees, in: size), in: size))
    let middle = alignment.leveled(rect.midX, rect.midY)
    #expect(abs(middle.x - plain.midX) <= 1 && abs(middle.y - plain.midY) <= 1)
  }

  /// Frames that are padded instead of moved keep their position and size.
  @Test func paddedFramesReachOut() throws {
    let size = PixelSize(width: 500, height: 400)
    let face = Self.face(PixelRect(x: 10, y: 20, width: 100, height: 120), leaning: 25, in: size)
    let crop = try Self.crop(face, in: size) { $0.pad(by: .edge) }
    let frame = try #require(crop.frame).frame(in: size)
    let turn = try #require(crop.turn)
    #expect(crop.hasUsableFrame && crop.turn?.isUsable != false)
    for corner in Self.corners(turn, in: size) {
      #expect(corner.x >= frame.x - 0.01 && corner.x <= frame.maxX + 0.01)
      #expect(corner.y >= frame.y - 0.01 && corner.y <= frame.maxY + 0.01)
    }
    #expect(abs(turn.rect.frame(in: size).height - 120 / Framing.avatar.faceRatio) <= 8)
  }
}
