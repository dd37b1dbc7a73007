import TestSupport
import Testing

@testable import FaceCrop

@Suite struct AlphaTests {
  /// Returns opaque red beside transparent green.
  private static func edge(width: Int, height: Int) -> PixelBuffer {
    var bytes: [UInt8] = []
    for _ in 0..<height {
      for x in 0..<width { bytes += x < width / 2 ? [200, 0, 0, 255] : [0, 255, 0, 0] }
    }
    return PixelBuffer(size: PixelSize(width: width, height: height), format: .rgba, bytes: bytes)
  }

  /// Mixing never reveals the color of transparent pixels.
  @Test(arguments: [5, 24, 97]) func transparentColorsDoNotShine(width: Int) {
    let resized = Self.edge(width: 48, height: 12).resampled(
      horizontal: 0..<48, vertical: 0..<12, to: PixelSize(width: width, height: 7))
    for start in stride(from: 0, to: resized.bytes.count, by: 4) where resized.bytes[start + 3] > 8 {
      #expect(resized.bytes[start + 1] <= 2)
      #expect(abs(Int(resized.bytes[start]) - 200) <= 12)
    }
    #expect(Set(resized.bytes).count > 2)
  }

  /// Opaque images in RGBA are resized as in RGB.
  @Test func opaqueIsAsWithoutAlpha() {
    let picture = PixelBuffer(Pixels.noise(width: 50, height: 40))
    for size in [PixelSize(width: 17, height: 9), PixelSize(width: 70, height: 44)] {
      let plain = picture.resampled(horizontal: 2.5..<48, vertical: 0..<39.5, to: size)
      let alpha = picture.withAlpha().resampled(horizontal: 2.5..<48, vertical: 0..<39.5, to: size)
      #expect(Pixels(alpha.inColor()).maximumDifference(from: Pixels(plain)) <= 1)
      #expect(stride(from: 3, to: alpha.bytes.count, by: 4).allSatisfy { alpha.bytes[$0] == 255 })
    }
  }

  @Test func flattenedOnAColor() {
    let pixel = PixelBuffer(size: PixelSize(width: 1, height: 1), format: .rgba, bytes: [200, 100, 0, 51])
    #expect(pixel.flattened(on: BackgroundColor(red: 0, green: 0, blue: 100)).bytes == [40, 20, 80])
    #expect(pixel.inColor().bytes == [244, 224, 204])
    #expect(pixel.inGray().format == .gray)
  }

  @Test(arguments: [PadFill.edge, .blur, .color(red: 1, green: 2, blue: 3)]) func paddedKeepsThePicture(fill: PadFill)
    throws
  {
    let picture = Self.edge(width: 20, height: 20)
    let place = PixelRect(x: 10, y: 6, width: 20, height: 20)
    let padded = try picture.padded(to: PixelSize(width: 40, height: 30), at: place, fill: fill)
    #expect(padded.format == .rgba && padded.cropped(to: place) == picture)
    if case .color = fill { #expect(Array(padded.bytes.prefix(4)) == [1, 2, 3, 255]) }
    // No green, which is invisible in the image.
    #expect(
      !stride(from: 0, to: padded.bytes.count, by: 4).contains { start in
        let x = start / 4 % 40
        return (x < 10 || x >= 30) && padded.bytes[start + 3] > 8 && padded.bytes[start + 1] > 8
      })
  }

  @Test(arguments: [
    PixelSize(width: 200, height: 200), PixelSize(width: 61, height: 120), PixelSize(width: 1, height: 1),
  ])
  func anEllipseIsCutOut(size: PixelSize) {
    let picture = PixelBuffer(
      size: size, format: .gray, bytes: [UInt8](repeating: 90, count: size.width * size.height))
    let cut = picture.cutToEllipse()
    #expect(cut.format == .rgba && cut.size == size)
    // Nothing outside remains that could become visible again.
    for place in stride(from: 0, to: cut.bytes.count, by: 4) where cut.bytes[place + 3] == 0 {
      #expect(cut.bytes[place..<place + 3].elementsEqual([0, 0, 0]))
    }
    let alphas = stride(from: 3, to: cut.bytes.count, by: 4).map { Int(cut.bytes[$0]) }
    // The ellipse's area, equal on all sides.
    let area = Double(alphas.reduce(0, +)) / 255
    let exact = Double.pi / 4 * Double(size.width * size.height)
    #expect(abs(area - exact) <= 0.002 * exact + 0.02 * Double(size.width + size.height))
    #expect(alphas == alphas.reversed())
    if size.width > 1 {
      #expect(alphas[0] == 0 && alphas[size.height / 2 * size.width + size.width / 2] == 255)
      #expect(Set(alphas).count > 20, "no steps at the border")
    }
  }

  /// Transparent pixels stay transparent.
  @Test func theMaskDoesNotUncover() {
    let cut = Self.edge(width: 20, height: 20).cutToEllipse()
    #expect(cut.bytes[(10 * 20 + 15) * 4 + 3] == 0 && cut.bytes[(10 * 20 + 5) * 4 + 3] == 255)
  }
}
