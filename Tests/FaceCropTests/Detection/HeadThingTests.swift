import TestSupport
import Testing

@testable import FaceCrop

/// Narrow things above crowns in drawn images: plumes and hats, and what only looks like one.
@Suite struct HeadThingTests {
  private static let networks = ObjectPool(keepsItems: true) { () throws(FaceCropError) in try PersonNetwork() }
  /// The crown, in the middle of a gray image with 300 pixels a side, and the height of its face box.
  private static let (crown, unit) = ((x: 150.0, y: 200.0), 100.0)

  /// Returns the height of the thing above the crown if `color` gives some pixels another color than the background's.
  private static func thing(
    among others: [Frame] = [], _ color: (_ x: Int, _ y: Int) -> UInt8?
  ) -> Double {
    let levels = (0..<300 * 300).map { color($0 % 300, $0 / 300) ?? 120 }
    let bytes = levels.flatMap { [$0, $0, $0] }
    let image = PixelBuffer(size: PixelSize(width: 300, height: 300), format: .rgb, bytes: bytes)
    return HeadFinder(in: image, by: networks).thing(above: crown, unit, among: others)
  }

  /// A plume of this height.
  private static func plume(_ height: Int, level: UInt8 = 220, gap: Int = 0) -> (Int, Int) -> UInt8? {
    { x, y in (200 - height..<200 - gap).contains(y) && abs(x - 150) < 4 ? level : nil }
  }

  @Test(arguments: [20, 50, 78])
  func thingsAreMeasured(height: Int) {
    #expect(abs(Self.thing(Self.plume(height)) - Double(height) / 100) < 0.02)
    #expect(abs(Self.thing(Self.plume(height, level: 20)) - Double(height) / 100) < 0.02)
    // A cone is wide at its lower end.
    let cone = Self.thing { x, y in
      let above = 200 - y
      return (0..<height).contains(above) && abs(x - 150) * height <= 20 * (height - above) ? 220 : nil
    }
    #expect(abs(cone - Double(height) / 100) < 0.1)
  }

  @Test func plainBackgroundsHaveNone() {
    #expect(Self.thing { _, _ in nil } == 0)
    // A low one, one that does not touch the head, and one that is hardly lighter.
    #expect(Self.thing(Self.plume(10)) == 0 && Self.thing(Self.plume(50, gap: 15)) == 0)
    #expect(Self.thing(Self.plume(50, level: 140)) == 0)
    // A wall that begins above the head, and the border between two walls.
    #expect(Self.thing { _, y in y < 190 && y > 130 ? 220 : nil } == 0)
    #expect(Self.thing { x, y in x > 140 ? 220 : x > 130 && y > 130 ? 10 : nil } == 0)
  }

  /// What reaches too high is a pole.
  @Test func thingsEnd() {
    #expect(Self.thing(Self.plume(200)) == 0 && Self.thing(Self.plume(84)) == 0)
  }

  /// A background of stripes hides things that differ no more than they do.
  @Test func stripesAreNoThings() {
    func stripes(_ x: Int) -> UInt8 { x % 8 < 4 ? 90 : 150 }
    let plume = Self.plume(50)
    #expect(Self.thing { x, _ in stripes(x) } == 0)
    #expect(Self.thing { x, y in plume(x, y) ?? stripes(x) } == 0)
    #expect(Self.thing { x, y in plume(x, y) == nil ? stripes(x) : 255 } > 0.4)
  }

  /// The head of a person behind is no hat.
  @Test func otherFacesAreNoThings() {
    let plume = Self.plume(50)
    #expect(Self.thing(among: [Frame(x: 120, y: 130, width: 60, height: 60)], plume) == 0)
    #expect(Self.thing(among: [Frame(x: 10, y: 130, width: 60, height: 60)], plume) > 0.4)
  }

  /// The head in the portrait gets a plume, in front of a plain wall.
  @Test func plumesBelongToHeads() throws {
    let (rows, tip) = (150, 90)
    let portrait = PixelBuffer(try astronaut())
    var bytes = [UInt8](repeating: 170, count: 512 * rows * 3) + portrait.bytes
    for (y, x) in (0..<rows + 200).flatMap({ y in (0..<512).map { (y, $0) } }) {
      let (across, down) = (Double(x - 226) / 76, Double(y - rows - 95) / 85)
      let isPlume = (tip..<rows + 20).contains(y) && abs(x - 226) < 4
      guard isPlume || across * across + down * down >= 1 else { continue }
      bytes.replaceSubrange(
        (y * 512 + x) * 3..<(y * 512 + x) * 3 + 3, with: [UInt8](repeating: isPlume ? 250 : 170, count: 3))
    }
    let size = PixelSize(width: 512, height: 512 + rows)
    let image = PixelBuffer(size: size, format: .rgb, bytes: bytes)
    let box = Frame(x: 180, y: 66 + Double(rows), width: 90, height: 110)
    let face = Face(box: box.normalized(in: size), score: 1)
    let head = try #require(try HeadFinder(in: image, by: Self.networks).head(of: face, among: []))
    #expect(abs(head.crown.position * Double(size.height) - Double(tip)) < 10, "\(head.crown)")
    let other = Face(box: box.moved(x: 180, y: 20).normalized(in: size), score: 1)
    let behind = try #require(try HeadFinder(in: image, by: Self.networks).head(of: face, among: [other]))
    #expect(behind.crown.position > head.crown.position + 0.05, "\(behind.crown)")
  }
}
