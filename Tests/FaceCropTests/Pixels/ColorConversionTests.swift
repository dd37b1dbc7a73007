import Glibc
import TestSupport
import Testing

@testable import FaceCrop

@Suite struct ColorConversionTests {
  /// Every level of each channel against the others' extremes.
  private static let colors: [[UInt8]] = (0...255).flatMap { level in
    let level = UInt8(level)
    return [[level, level, level], [level, 0, 0], [255, level, 40], [30, 200, level], [level, 128, 255]]
  }

  private func linear(_ sample: UInt8) -> Double { pow(Double(sample) / 255, 2.2) }

  /// IEC 61966-2-1.
  private func encoded(_ light: Double) -> Double {
    let light = min(max(light, 0), 1)
    return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
  }

  /// From the primaries themselves, not by Little CMS: SMPTE EG 432-1's to BT.709's, white D65.
  private func expected(_ color: [UInt8], isP3: Bool) -> [Double] {
    let (r, g, b) = (linear(color[0]), linear(color[1]), linear(color[2]))
    if !isP3 { return [r, g, b].map(encoded) }
    return [
      1.22494 * r - 0.22494 * g, -0.04206 * r + 1.04206 * g, -0.01964 * r - 0.07864 * g + 1.09827 * b,
    ].map(encoded)
  }

  @Test(arguments: [ICCBuilder.Space.displayP3, .rgb]) func colorsComeOutRight(space: ICCBuilder.Space) throws {
    let size = PixelSize(width: Self.colors.count, height: 1)
    let conversion = try #require(try ColorConversion(from: ICCBuilder.profile(space), format: .rgb))
    #expect(!conversion.isIdentity)
    let converted = conversion.converted(PixelBuffer(size: size, format: .rgb, bytes: Self.colors.flatMap { $0 }))
    for (place, color) in Self.colors.enumerated() {
      let wanted = expected(color, isP3: space == .displayP3)
      let found = converted.bytes[place * 3..<place * 3 + 3].map(Double.init)
      // Near black the profile's curve, of 8 bits behind the point, and 8-bit samples are coarse.
      #expect(zip(wanted, found).allSatisfy { abs($0 - $1) <= 4 }, "\(color): \(found), not \(wanted)")
    }
    // Alpha stays, and colors are those without it.
    let conversionWithAlpha = try #require(try ColorConversion(from: ICCBuilder.profile(space), format: .rgba))
    let transparent = conversionWithAlpha.converted(
      PixelBuffer(size: size, format: .rgba, bytes: Self.colors.enumerated().flatMap { $1 + [UInt8($0 % 256)] }))
    for place in Self.colors.indices {
      let pixel = transparent.bytes[place * 4..<place * 4 + 4]
      #expect(Array(pixel.dropLast()) == Array(converted.bytes[place * 3..<place * 3 + 3]))
      #expect(pixel.last == UInt8(place % 256))
    }
  }

  @Test func grayStaysGray() throws {
    let conversion = try #require(try ColorConversion(from: ICCBuilder.profile(.gray), format: .gray))
    let levels = PixelBuffer(size: PixelSize(width: 256, height: 1), format: .gray, bytes: Array(0...255))
    let converted = conversion.converted(levels)
    for (level, found) in converted.bytes.enumerated() {
      #expect(abs(encoded(linear(UInt8(level))) - Double(found)) <= 4, "\(level): \(found)")
    }
  }

  @Test func profilesForOtherPixelsAreOfNoUse() throws {
    #expect(try ColorConversion(from: ICCBuilder.profile(.gray), format: .rgb) == nil)
    #expect(try ColorConversion(from: ICCBuilder.profile(.rgb), format: .gray) == nil)
    #expect(try ColorConversion(from: ICCBuilder.profile(.cmyk), format: .rgb) == nil)
    #expect(try ColorConversion(from: [], format: .rgb) == nil)
    let whole = ICCBuilder.profile(.displayP3)
    for count in stride(from: 0, to: whole.count, by: 7) {
      _ = try ColorConversion(from: Array(whole.prefix(count)), format: .rgb)?.isIdentity
    }
    // Every byte another one: a profile is an attacker's.
    for index in whole.indices {
      var changed = whole
      changed[index] ^= 0xFF
      if let conversion = try ColorConversion(from: changed, format: .rgb) {
        _ = conversion.converted(PixelBuffer(Pixels.noise(width: 3, height: 2)))
      }
    }
  }
}
