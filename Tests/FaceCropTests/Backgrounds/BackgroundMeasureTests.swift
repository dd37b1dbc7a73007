import TestSupport
import Testing

@testable import FaceCrop

/// The background of a finished photo.
@Suite struct BackgroundMeasureTests {
  private static let size = PixelSize(width: 200, height: 256)

  /// Measures a photo with a dark person in the middle; `color` is the background's.
  private static func measure(_ color: (Int, Int) -> [UInt8]) -> BackgroundMeasure? {
    var (bytes, mask): ([UInt8], [UInt8]) = ([], [])
    for y in 0..<size.height {
      for x in 0..<size.width {
        let isPerson = (70..<130).contains(x) && y >= 90
        bytes += isPerson ? [40, 40, 40] : color(x, y)
        mask.append(isPerson ? 255 : 0)
      }
    }
    return BackgroundMeasure(
      around: PersonMap(size: size, probabilities: mask),
      face: NormalizedRect(x: 0.4, y: 0.4, width: 0.2, height: 0.3),
      in: PixelBuffer(size: size, format: .rgb, bytes: bytes))
  }

  @Test func whiteIsLightAndUniform() throws {
    let measure = try #require(Self.measure { _, _ in [255, 255, 255] })
    #expect(measure.lightness > 0.999 && measure.difference < 0.001 && measure.shadow! < 0.001)
  }

  @Test func colorsAndTexturesDiffer() throws {
    let dark = try #require(Self.measure { _, _ in [90, 90, 90] })
    #expect((0.35...0.42).contains(dark.lightness) && dark.difference < 0.001)
    let stripes = try #require(Self.measure { x, _ in x / 8 % 2 == 0 ? [255, 255, 255] : [150, 200, 150] })
    #expect(stripes.difference > 0.1)
  }

  @Test func aShadowIsBesideThePerson() throws {
    let measure = try #require(
      Self.measure { x, y in (130..<150).contains(x) && y > 90 ? [180, 180, 180] : [240, 240, 240] })
    #expect(measure.shadow! > 0.06)
  }

  @Test func withoutABackgroundNothingIsMeasured() {
    let mask = [UInt8](repeating: 255, count: Self.size.width * Self.size.height)
    let photo = PixelBuffer(Pixels(width: 200, height: 256, color: [1, 2, 3]))
    #expect(
      BackgroundMeasure(
        around: PersonMap(size: Self.size, probabilities: mask), face: .whole, in: photo) == nil)
  }

  /// Known values of CIE L*a*b*.
  @Test func colorsAreMeasuredByTheStandard() {
    let red = BackgroundMeasure.lab(255, 0, 0)
    #expect(abs(red.x - 53.24) < 0.1 && abs(red.y - 80.1) < 0.3 && abs(red.z - 67.2) < 0.3)
    #expect(abs(BackgroundMeasure.lab(119, 119, 119).x - 50) < 0.2)
  }
}
