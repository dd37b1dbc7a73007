import Glibc
import TestSupport
import Testing

@testable import FaceCrop

@Suite struct ColorConversionTests {
  /// Every level of each channel with the extremes of the others.
  private static let colors: [[UInt8]] = (0...255).flatMap { level in
    let level = UInt8(level)
    return [[level, level, level], [level, 0, 0], [255, level, 40], [30, 200, level], [level, 128, 255]]
  }

  private func linear(_ sample: UInt8) -> Double { pow(Double(sample) / 255, 2.2) }

  /// Encodes light (IEC 61966-2-1).
  private func encoded(_ light: Double) -> Double {
    let light = min(max(light, 0), 1)
    return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
  }

  /// Computes the color from the primaries, without Little CMS: SMPTE EG 432-1's to BT.709's, white D65.
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
    let converted = try conversion.converted(
      PixelBuffer(size: size, format: .rgb, bytes: Self.colors.flatMap { $0 }), job: .forTests())
    for (place, color) in Self.colors.enumerated() {
      let wanted = expected(color, isP3: space == .displayP3)
      let found = converted.bytes[place * 3..<place * 3 + 3].map(Double.init)
      // The profile's curve has 8 fractional bits, its colorants 4 digits.
      #expect(zip(wanted, found).allSatisfy { abs($0 - $1) <= 3 }, "\(color): \(found), not \(wanted)")
    }
    // Alpha stays, and colors equal those without it.
    let conversionWithAlpha = try #require(try ColorConversion(from: ICCBuilder.profile(space), format: .rgba))
    let transparent = try conversionWithAlpha.converted(
      PixelBuffer(size: size, format: .rgba, bytes: Self.colors.enumerated().flatMap { $1 + [UInt8($0 % 256)] }),
      job: .forTests())
    for place in Self.colors.indices {
      let pixel = transparent.bytes[place * 4..<place * 4 + 4]
      #expect(Array(pixel.dropLast()) == Array(converted.bytes[place * 3..<place * 3 + 3]))
      #expect(pixel.last == UInt8(place % 256))
    }
  }

  @Test func grayStaysGray() throws {
    let conversion = try #require(try ColorConversion(from: ICCBuilder.profile(.gray), format: .gray))
    let levels = PixelBuffer(size: PixelSize(width: 256, height: 1), format: .gray, bytes: Array(0...255))
    let converted = try conversion.converted(levels, job: .forTests())
    for (level, found) in converted.bytes.enumerated() {
      #expect(abs(encoded(linear(UInt8(level))) - Double(found)) <= 3, "\(level): \(found)")
    }
  }

  /// Types that are none of the specification's, and are read all the same by Little CMS.
  @Test(arguments: [(true, false), (false, true), (true, true)]) func brokenTypesThatAreKnownAreRead(
    colors: Bool, curves: Bool
  ) throws {
    let whole = ICCBuilder.profile(.displayP3)
    let broken = ICCBuilder.withBrokenTypes(whole, colors: colors, curves: curves)
    #expect(broken != whole && ICCProfile.fits(broken, .rgb))
    let size = PixelSize(width: Self.colors.count, height: 1)
    let pixels = PixelBuffer(size: size, format: .rgb, bytes: Self.colors.flatMap { $0 })
    let made = try [whole, broken].map { profile in
      try #require(try ColorConversion(from: profile, format: .rgb)).converted(pixels, job: .forTests())
    }
    #expect(made[0] == made[1] && made[0] != pixels)
    let reference = try referenceConvert(pixels.bytes, channels: 3, profile: broken, isExact: true)
    #expect(zip(reference, made[1].bytes).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
    // Other types stay unknown.
    let start = try #require(ICCTags(whole)?.range(colors ? "rXYZ" : "rTRC")?.lowerBound)
    var unknown = whole
    unknown.replaceSubrange(start..<start + 4, with: UInt32(0x17A5_05B9).bigEndianBytes)
    #expect(!ICCProfile.fits(unknown, .rgb))
  }

  // MARK: Comparison with Little CMS

  /// All grays, a lattice of colors and ramps of each channel.
  private static let many: [UInt8] = {
    var colors: [UInt8] = (0...255).flatMap { [UInt8($0), UInt8($0), UInt8($0)] }
    for channel in 0..<3 {
      for level in 0...255 {
        var color: [UInt8] = [90, 160, 30]
        color[channel] = UInt8(level)
        colors += color
      }
    }
    for color in 0..<17 * 17 * 17 {
      colors += [color % 17, color / 17 % 17, color / 289].map { UInt8($0 * 255 / 16) }
    }
    return colors
  }()

  private static let spaces: [(name: String, colorants: [[Double]])] = [
    ("sRGB", [[0.4360, 0.2225, 0.0139], [0.3851, 0.7169, 0.0971], [0.1431, 0.0606, 0.7141]]),
    ("Display P3", [[0.5151, 0.2412, -0.0011], [0.2919, 0.6922, 0.0419], [0.1572, 0.0666, 0.7841]]),
    ("Adobe RGB", [[0.6097, 0.3111, 0.0195], [0.2053, 0.6257, 0.0609], [0.1492, 0.0632, 0.7446]]),
    ("ProPhoto", [[0.7977, 0.2880, 0], [0.1352, 0.7119, 0], [0.0313, 0.0001, 0.8249]]),
    // No monitor is exact.
    ("a monitor", [[0.4512, 0.2357, 0.0201], [0.3620, 0.7080, 0.1012], [0.1510, 0.0563, 0.7036]]),
  ]

  // Created each time: LeakSanitizer does not see a global array that only an enumeration's tagged pointer references.
  private static var curves: [(name: String, curve: ICCBuilder.Curve)] {
    [
      ("gamma 2.2", .gamma(2.2)), ("gamma 1.8", .gamma(1.8)), ("none", .none),
      ("of type 0", .parametric(0, [2.4])), ("of type 1", .parametric(1, [2.2, 0.95, 0.05])),
      ("of type 2", .parametric(2, [2, 0.9, 0.05, 0.01])),
      ("sRGB's", .parametric(3, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])),
      ("of type 4", .parametric(4, [2.2, 0.97, 0.03, 0.08, 0.05, 0.002, 0.001])),
      ("of 2 samples", .sampled([0, 65_535])),
      ("of 26 samples", .sampled((0..<26).map { UInt16(65_535 * pow(Double($0) / 25, 2.1)) })),
      ("of 1024 samples", .sampled((0..<1_024).map { UInt16(65_535 * pow(Double($0) / 1_023, 2.2)) })),
      ("of 4096 samples", .sampled((0..<4_096).map { UInt16(65_535 * pow(Double($0) / 4_095, 1.9)) })),
      ("that goes down", .sampled((0..<256).map { UInt16(65_535 - 257 * $0) })),
      // A screen that is not dark: 1 % of its light.
      ("with light in the dark", .sampled((0..<256).map { UInt16(655 + 64_880 * pow(Double($0) / 255, 2.2)) })),
    ]
  }

  private static func converted(_ profile: [UInt8], _ bytes: [UInt8], _ format: PixelBuffer.Format) throws -> [UInt8] {
    let conversion = try #require(try ColorConversion(from: profile, format: format))
    // Otherwise nothing would be converted.
    guard !conversion.isIdentity else { return bytes }
    let size = PixelSize(width: bytes.count / format.channels, height: 1)
    return try conversion.converted(PixelBuffer(size: size, format: format, bytes: bytes), job: .forTests()).bytes
  }

  private static func difference(_ own: [UInt8], _ theirs: [UInt8]) -> Int {
    zip(own, theirs).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
  }

  /// Curves for which the library's tables are coarse too: light in the dark, descending light, and gray by a line.
  private static let ofCoarseTables = [2, 4, 5, 7, 8, 12, 13]

  /// Expected from sRGB's curve (IEC 61966-2-1): the darkest level is as light as paper, and there is no black point.
  @Test func aCurveThatGoesDownIsFollowed() throws {
    let curve = try #require(Self.curves.first { $0.0 == "that goes down" }).1
    let converted = try Self.converted(ICCBuilder.gray(curve), (0...255).map { UInt8($0) }, .gray)
    for (level, found) in converted.enumerated() {
      #expect(abs(encoded(1 - Double(level) / 255) - Double(found)) <= 1, "\(level)")
    }
  }

  @Test(arguments: curves.indices) func whatIsConvertedHereIsWithinALevelOfTheLibrary(index: Int) throws {
    let (name, curve) = Self.curves[index]
    // Before 2.16 the library took a light color for black there.
    guard referenceColorVersion >= 2_160 || name != "that goes down" else { return }
    let grays = (0...255).map { UInt8($0) }
    for isExact in Self.ofCoarseTables.contains(index) ? [true] : [true, false] {
      for version in [0x0240_0000, 0x0420_0000] as [UInt32] {
        for space in Self.spaces {
          let profile = ICCBuilder.matrix(space.colorants, [curve, curve, curve], version: version)
          let theirs = try referenceConvert(Self.many, channels: 3, profile: profile, isExact: isExact)
          let difference = Self.difference(try Self.converted(profile, Self.many, .rgb), theirs)
          #expect(difference <= 1, "\(space.name), \(name), exact \(isExact)")
        }
        let profile = ICCBuilder.gray(curve, version: version)
        let theirs = try referenceConvert(grays, channels: 1, profile: profile, isExact: isExact)
        #expect(Self.difference(try Self.converted(profile, grays, .gray), theirs) <= 1, "gray, \(name)")
      }
    }
  }

  @Test func curvesMayDifferByChannel() throws {
    let profile = ICCBuilder.matrix(
      Self.spaces[4].colorants, [.gamma(2.1), Self.curves[6].curve, Self.curves[10].curve])
    let theirs = try referenceConvert(Self.many, channels: 3, profile: profile, isExact: true)
    #expect(Self.difference(try Self.converted(profile, Self.many, .rgb), theirs) <= 1)
  }

  @Test func sRGBIsLeftAsItIs() throws {
    for curve in [Self.curves[6].curve, .sampled((0..<1_024).map { UInt16((65_535 * lightOfSRGB($0)).rounded()) })] {
      let profile = ICCBuilder.matrix(Self.spaces[0].colorants, [curve, curve, curve])
      #expect(try #require(try ColorConversion(from: profile, format: .rgb)).isIdentity)
      #expect(try #require(try ColorConversion(from: profile, format: .rgba)).isIdentity)
    }
    let other = ICCBuilder.matrix(Self.spaces[0].colorants, [.gamma(2.2), .gamma(2.2), .gamma(2.2)])
    #expect(try !#require(try ColorConversion(from: other, format: .rgb)).isIdentity)
  }

  private func lightOfSRGB(_ entry: Int) -> Double {
    let sample = Double(entry) / 1_023
    return sample <= 0.04045 ? sample / 12.92 : pow((sample + 0.055) / 1.055, 2.4)
  }

  // MARK: Hostile profiles

  @Test func profilesForOtherPixelsAreOfNoUse() throws {
    #expect(try ColorConversion(from: ICCBuilder.profile(.gray), format: .rgb) == nil)
    #expect(try ColorConversion(from: ICCBuilder.profile(.rgb), format: .gray) == nil)
    #expect(try ColorConversion(from: ICCBuilder.profile(.cmyk), format: .rgb) == nil)
    #expect(try ColorConversion(from: [], format: .rgb) == nil)
    #expect(try InkConversion(from: ICCBuilder.profile(.rgb)) == nil)
    for whole in [ICCBuilder.profile(.displayP3), ICCBuilder.profile(.cmyk)] {
      for count in stride(from: 0, to: whole.count, by: 7) {
        #expect(try ColorConversion(from: Array(whole.prefix(count)), format: .rgb) == nil)
        #expect(try InkConversion(from: Array(whole.prefix(count))) == nil)
      }
    }
    // With every byte changed, one at a time.
    let whole = ICCBuilder.profile(.displayP3)
    for index in whole.indices {
      var changed = whole
      changed[index] ^= 0xFF
      if let conversion = try ColorConversion(from: changed, format: .rgb) {
        _ = try conversion.converted(PixelBuffer(Pixels.noise(width: 3, height: 2)), job: .forTests())
      }
    }
  }

  @Test func conversionCanBeStopped() throws {
    let cancellation = Cancellation()
    cancellation.cancel()
    let conversion = try #require(try ColorConversion(from: ICCBuilder.profile(.displayP3), format: .rgb))
    #expect(throws: FaceCropError.cancelled) {
      try conversion.converted(
        PixelBuffer(Pixels.noise(width: 3, height: 2)),
        job: Job(limits: Limits(), cancellation: cancellation, progress: nil))
    }
  }
}
