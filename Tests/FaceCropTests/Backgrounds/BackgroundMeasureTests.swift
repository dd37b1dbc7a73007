import TestSupport
import Testing

@testable import FaceCrop

/// The background of a finished photo.
@Suite struct BackgroundMeasureTests {
  private static let size = PixelSize(width: 200, height: 256)

  /// Measures a photo with a dark person in the middle; `color` is the background's.
  private static func measure(
    columns: Range<Int> = 70..<130, from top: Int = 90, _ color: (Int, Int) -> [UInt8]
  ) -> BackgroundMeasure? {
    var (bytes, mask): ([UInt8], [UInt8]) = ([], [])
    for y in 0..<size.height {
      for x in 0..<size.width {
        let isPerson = columns.contains(x) && y >= top
        bytes += isPerson ? [40, 40, 40] : color(x, y)
        mask.append(isPerson ? 255 : 0)
      }
    }
    return BackgroundMeasure.of(
      PixelBuffer(size: size, format: .rgb, bytes: bytes), around: PersonMap(size: size, probabilities: mask))
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

  /// A person fills the frame of a document, so that hardly any background is far away.
  private static func tight(_ color: (Int, Int) -> [UInt8]) throws -> Double {
    let found = Self.measure(columns: 45..<155, from: 25, color)
    let measure = try #require(found)
    return try #require(measure.shadow)
  }

  @Test func aShadowIsFoundInATightFrame() throws {
    let shadow = try Self.tight { x, y in
      let depth = max(0, min(40, 60 - x, y - 80))
      return [UInt8](repeating: UInt8(240 - depth), count: 3)
    }
    #expect(shadow > 0.08)
  }

  /// Light that changes evenly, hair, and clothes are no shadows.
  @Test func otherThingsAreNoShadow() throws {
    let light = try Self.tight { x, y in [UInt8](repeating: UInt8(250 - x / 16 - y / 24), count: 3) }
    #expect(light < 0.05)
    let hair = try Self.tight { x, _ in x < 60 && x % 4 < 3 ? [60, 60, 60] : [240, 240, 240] }
    #expect(hair < 0.05)
    let sleeve = try Self.tight { x, y in x < 60 && y > 150 ? [200, 150, 120] : [240, 240, 240] }
    #expect(sleeve < 0.05)
    let chair = try Self.tight { x, y in x < 60 && y > 150 ? [60, 60, 60] : [240, 240, 240] }
    #expect(chair < 0.05)
  }

  @Test func theNearestColorCounts() throws {
    let gray = try #require(Self.measure { _, _ in [211, 211, 211] })
    #expect(try #require(gray.distance(from: [.white, .lightGray])) < 0.001)
    #expect(abs(try #require(gray.distance(from: [.white, .offWhite])) - 0.132) < 0.002)
    #expect(gray.distance(from: []) == nil)
  }

  @Test func withoutABackgroundNothingIsMeasured() {
    let mask = [UInt8](repeating: 255, count: Self.size.width * Self.size.height)
    let photo = PixelBuffer(Pixels(width: 200, height: 256, color: [1, 2, 3]))
    #expect(
      BackgroundMeasure.of(photo, around: PersonMap(size: Self.size, probabilities: mask)) == nil)
  }

  /// Known values of CIE L*a*b*.
  @Test func colorsAreMeasuredByTheStandard() {
    let red = BackgroundMeasure.lab(255, 0, 0)
    #expect(abs(red.x - 53.24) < 0.1 && abs(red.y - 80.1) < 0.3 && abs(red.z - 67.2) < 0.3)
    #expect(abs(BackgroundMeasure.lab(119, 119, 119).x - 50) < 0.2)
  }
}
