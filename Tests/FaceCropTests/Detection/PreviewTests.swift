import TestSupport
import Testing

@testable import FaceCrop

/// The drawing of `detect --preview`.
@Suite struct PreviewTests {
  private static let size = PixelSize(width: 600, height: 300)
  private static let left = Face(box: NormalizedRect(x: 0.1, y: 0.4, width: 0.2, height: 0.4), score: 0.8)
  private static let right = Face(box: NormalizedRect(x: 0.6, y: 0.4, width: 0.2, height: 0.4), score: 0.9)

  private func marked(_ faces: [Face], by order: FaceOrder) throws -> PixelBuffer {
    let plain = PixelBuffer(
      size: Self.size, format: .rgb, bytes: [UInt8](repeating: 200, count: 3 * Self.size.width * Self.size.height))
    return try plain.marked(with: faces, numberedBy: order)
  }

  /// Returns the bytes of a part of an image.
  private func part(_ image: PixelBuffer, x: Range<Int>, y: Range<Int>) -> [UInt8] {
    y.flatMap { row in
      let start = row * Self.size.width
      return image.bytes[(start + x.lowerBound) * 3..<(start + x.upperBound) * 3]
    }
  }

  /// The number above a face is that of `--faces`, in its order, and not the place in the list.
  @Test func facesHaveTheNumbersOfTheirOrder() throws {
    let faces = [Self.right, Self.left]
    func numberOfLeft(_ faces: [Face], _ order: FaceOrder) throws -> [UInt8] {
      try part(marked(faces, by: order), x: 0..<300, y: 80..<116)
    }
    let one = try numberOfLeft([Self.left], .left)
    #expect(try numberOfLeft(faces, .left) == one && numberOfLeft(faces, .confidence) != one)
  }

  /// Only lines are drawn inside a box.
  @Test func theFaceStaysVisible() throws {
    let image = try marked([Self.left], by: .left)
    let inner = part(image, x: 66..<174, y: 126..<234)
    #expect(inner.allSatisfy { $0 == 200 })
    #expect(part(image, x: 50..<190, y: 100..<260).contains { $0 != 200 })
  }

  /// The copy of a large image has 1,280 pixels, and that of a small one its own.
  @Test(arguments: [(2_000, 1_280), (900, 900)])
  func theCopyIsLarge(width: Int, longSide: Int) async throws {
    let source = ImageSource.bytes(try JPEGRecipe.gray.encode(.testPattern(width: width, height: 500, channels: 1)))
    let picture = try await FaceCropper(detector: StubDetector()).preview(of: source).picture
    #expect(picture.pixels.size.longSide == longSide && picture.pixels.format == .rgb)
    #expect(picture.colorProfile == nil && picture.gainMap == nil)
  }
}
