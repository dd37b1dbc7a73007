import TestSupport
import Testing

@testable import FaceCrop

@Suite struct AttentionTests {
  /// Returns a noisy gray field with one disk in it.
  private func field(_ size: PixelSize, disk: (x: Int, y: Int, radius: Int)) -> PixelBuffer {
    var random = SplitMix64(seed: 4)
    var bytes: [UInt8] = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        let (dx, dy) = (x - disk.x, y - disk.y)
        let isInside = dx * dx + dy * dy < disk.radius * disk.radius
        bytes.append(UInt8((isInside ? 200 : 90) + Int.random(in: 0..<20, using: &random)))
      }
    }
    return PixelBuffer(size: size, format: .gray, bytes: bytes)
  }

  @Test(arguments: [(100, 60), (500, 240), (320, 150)])
  func findsTheStrikingRegion(x: Int, y: Int) throws {
    let size = PixelSize(width: 640, height: 300)
    let point = try field(size, disk: (x, y, 30)).attention()
    #expect(abs(point.x * 640 - Double(x)) < 40 && abs(point.y * 300 - Double(y)) < 40)
  }

  @Test func picturesOfAnySizeAreSafe() throws {
    for (width, height) in [(1, 1), (640, 1), (1, 640), (9, 7)] {
      let flat = PixelBuffer(
        size: PixelSize(width: width, height: height), format: .gray,
        bytes: [UInt8](repeating: 7, count: width * height))
      let point = try flat.attention()
      #expect((0...1).contains(point.x) && (0...1).contains(point.y))
    }
  }

  @Test func theRegionIsAroundIt() async throws {
    let picture = field(PixelSize(width: 640, height: 300), disk: (110, 150, 40))
    let jpeg = try JPEGRecipe.gray.encode(Pixels(picture))
    let cropper = FaceCropper(detector: StubDetector())
    var request = CropRequest()
    request.search.noFace = .attention
    let plan = try await cropper.plan(for: .bytes(jpeg), search: request.search, composition: request.composition)
    let region = PixelRect(covering: plan.crops[0].region, in: plan.source)
    #expect(region.size == PixelSize(width: 300, height: 300) && region.x < 30)
    request.search.noFace = .center
    let center = try await cropper.plan(for: .bytes(jpeg), search: request.search, composition: request.composition)
    #expect(PixelRect(covering: center.crops[0].region, in: center.source).x == 170)
  }
}
