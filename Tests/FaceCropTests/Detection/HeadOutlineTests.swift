import Testing

@testable import FaceCrop

/// Outlines in drawn masks: other bodies above, and heads from the side.
@Suite struct HeadOutlineTests {
  /// The face box, in a mask with one pixel for each pixel of the image.
  private static let box = Frame(x: 53, y: 75, width: 22, height: 30)

  private static func outline(
    isProfile: Bool = false, _ level: (_ x: Int, _ y: Int) -> UInt8
  ) throws -> HeadOutline {
    let size = PixelSize(width: 128, height: 128)
    let probabilities = (0..<128 * 128).map { level($0 % 128, $0 / 128) }
    let mask = PersonMask(
      area: Frame(x: 0, y: 0, width: 128, height: 128), side: 128,
      pixels: PixelBuffer(size: size, format: .rgb, bytes: [UInt8](repeating: 0, count: 128 * 128 * 3)),
      probabilities: probabilities)
    return try #require(HeadOutline(of: box, isProfile, among: [], in: mask, image: size))
  }

  private static func isHead(_ x: Int, _ y: Int) -> Bool { y >= 65 && y < 110 && abs(x - 64) < 14 }

  @Test func plainHeadsAreAlone() throws {
    let head = try Self.outline { Self.isHead($0, $1) ? 255 : 0 }
    #expect(head.rows.lowerBound == 65 && !head.isJoined)
  }

  /// A body above ends the head at the waist between them. A hat that is wider than the head does not.
  @Test func bodiesAboveAreOthers() throws {
    func above(_ top: Int) throws -> HeadOutline {
      try Self.outline { x, y in
        let isNeck = (60..<65).contains(y) && abs(x - 64) < 8
        return Self.isHead(x, y) || isNeck || ((top..<60).contains(y) && abs(x - 64) < 20) ? 255 : 0
      }
    }
    let body = try above(20)
    #expect(body.isJoined && (60...65).contains(body.rows.lowerBound))
    let hat = try above(50)
    #expect(!hat.isJoined && hat.rows.lowerBound == 50)
  }

  /// The back of a head that is seen from the side is farther from its box.
  @Test func profilesReachFarther() throws {
    func back(_ isProfile: Bool) throws -> Int {
      let head = try Self.outline(isProfile: isProfile) { x, y in
        (65..<110).contains(y) && (36..<76).contains(x) ? 255 : 0
      }
      return head.spans[20].lowerBound
    }
    #expect(try back(true) == 36 && back(false) > 40)
    func face(nose: Double) -> Face {
      func point(_ x: Double, _ y: Double) -> NormalizedPoint { NormalizedPoint(x: x, y: y) }
      return Face(
        box: NormalizedRect(x: 0.4, y: 0.4, width: 0.2, height: 0.25), score: 0.9,
        landmarks: FaceLandmarks(
          rightEye: point(0.45, 0.5), leftEye: point(0.55, 0.5), nose: point(nose, 0.55),
          mouthRight: point(0.46, 0.6), mouthLeft: point(0.54, 0.6)))
    }
    #expect(!face(nose: 0.5).isProfile && !face(nose: 0.56).isProfile && face(nose: 0.59).isProfile)
  }
}
