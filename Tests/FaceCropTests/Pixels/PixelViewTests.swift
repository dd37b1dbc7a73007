import TestSupport
import Testing

@testable import FaceCrop

struct PixelViewTests {
  /// Views of views, in every orientation, equal a crop of the displayed image.
  @Test(arguments: Orientation.allCases)
  func croppingIsCuttingWhatIsDisplayed(orientation: Orientation) throws {
    let stored = PixelBuffer(Pixels.testPattern(width: 37, height: 23))
    let displayed = stored.upright(orientation)
    let view = PixelView(stored, orientation: orientation)
    #expect(view.size == displayed.size && view.buffer() == displayed)
    var generator = SplitMix64(seed: UInt64(orientation.rawValue))
    for _ in 0..<100 {
      let rect = generator.rect(in: view.size)
      let part = try #require(view.cropping(to: rect))
      #expect(part.buffer() == displayed.cropped(to: rect))
      let inner = generator.rect(in: part.size)
      #expect(part.cropping(to: inner)?.buffer() == displayed.cropped(to: rect).cropped(to: inner))
    }
  }

  @Test func viewsShareTheirBuffer() throws {
    let buffer = PixelBuffer(Pixels.testPattern(width: 64, height: 48))
    let view = try #require(
      PixelView(buffer, orientation: .left).cropping(to: PixelRect(x: 5, y: 6, width: 7, height: 8)))
    func address(_ bytes: [UInt8]) -> Int {
      unsafe bytes.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
    }
    #expect(address(view.base.bytes) == address(buffer.bytes))
    #expect(address(PixelView(buffer).buffer().bytes) == address(buffer.bytes))
  }

  @Test func viewsEndAtTheirBuffer() throws {
    let view = PixelView(PixelBuffer(Pixels.testPattern(width: 10, height: 10)))
    #expect(view.cropping(to: PixelRect(x: 8, y: -4, width: 9, height: 9))?.size == PixelSize(width: 2, height: 5))
    #expect(view.cropping(to: PixelRect(x: 10, y: 0, width: 5, height: 5)) == nil)
  }
}
