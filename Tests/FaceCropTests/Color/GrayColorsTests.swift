import TestSupport
import Testing

@testable import FaceCrop

/// Gray has the colors of equal red, green and blue: by code points, by profiles for gray and for RGB, with alpha, and
/// in every format. The expected levels are those of the curves and of sRGB (IEC 61966-2-1).
@Suite struct GrayColorsTests {
  private static let level: UInt8 = 119
  private static let plain = Pixels(width: 64, height: 64, color: [level])

  /// A whole image in sRGB, or with its own colors.
  private func crop(
    _ file: [UInt8], keeps: Bool = false, circle: Bool = false
  ) async throws -> (crop: RenderedCrop, warnings: [CropWarning]) {
    var request = CropRequest()
    request.output.color = keeps ? .keep : .srgb
    request.output.shape = circle ? .circle : .rectangle
    let result = try await FaceCropper(detector: StubDetector()).crop(.bytes(file), request: request)
    return (result.crops[0], result.warnings)
  }

  /// The level of the pixel in the center.
  private func level(_ pixels: PixelBuffer) -> Int {
    let middle = (pixels.height / 2 * pixels.width + pixels.width / 2) * pixels.format.channels
    return Int(pixels.bytes[middle])
  }

  /// Expects a level in sRGB without a warning, and the same after the own colors are kept and converted by their profile.
  private func expect(
    _ wanted: Int, _ file: [UInt8], _ name: String, circles: [Bool] = [false, true]
  ) async throws {
    let made = try await crop(file)
    #expect(abs(level(made.crop.pixels) - wanted) <= 1 && made.warnings.isEmpty, "\(name): \(level(made.crop.pixels))")
    #expect(made.crop.colorProfile == nil)
    for circle in circles {
      let kept = try await crop(file, keeps: true, circle: circle)
      #expect(level(kept.crop.pixels) == Int(Self.level) && kept.warnings.isEmpty, "\(name): \(kept.warnings)")
      let profile = try #require(kept.crop.colorProfile, "\(name)")
      let conversion = try #require(try ColorConversion(from: profile, format: kept.crop.pixels.format))
      #expect(abs(level(try conversion.converted(kept.crop.pixels, job: .forTests())) - wanted) <= 1, "\(name)")
    }
  }

  @Test(arguments: [(16, 154), (18, 127), (8, 182)]) func codedTransfersCount(transfer: Int, wanted: Int) async throws {
    for pixels in [Self.plain, Pixels(width: 64, height: 64, color: [119, 119, 119])] {
      var png = PNGBuilder(pixels)
      png.before = [("cICP", [1, UInt8(transfer), 0, 1])]
      try await expect(wanted, png.encoded(), "PNG of \(pixels.channels) channels")
    }
    let jxl = try JXLRecipe().with { $0.transfer = transfer }.encode(Self.plain)
    try await expect(wanted, jxl, "JPEG XL")
    #if HEIF
      let item = try CodedItem(Self.plain, codec: .av1, quality: 100)
      try await expect(wanted, HEIFBuilder(item, HEIFBuilder.codePoints(1, transfer, 6)).encoded(), "AVIF")
    #endif
  }

  @Test func profilesForGrayCountWithAlpha() async throws {
    for (name, profile) in [
      ("linear", ICCBuilder.gray(.gamma(1))),
      ("by Little CMS", ICCBuilder.profile(of: [("kTRC", ICCBuilder.Curve.gamma(1).tag)], "mntr", "GRAY", "Lab ")),
    ] {
      var png = PNGBuilder(Self.plain)
      png.before = [PNGBuilder.profile(profile)]
      // The linear curve gives light, or lightness for a profile of L*a*b*.
      let wanted = level(try await crop(png.encoded()).crop.pixels)
      #expect(abs(wanted - (name == "linear" ? 182 : 111)) <= 1)
      var alpha = PNGBuilder(width: 64, height: 64, color: .grayAlpha)
      alpha.samples = (0..<64 * 64).flatMap { _ in [Int(Self.level), 255] }
      alpha.before = png.before
      try await expect(wanted, alpha.encoded(), "PNG with alpha, \(name)")
      png.isTransparent = true
      try await expect(wanted, png.encoded(), "PNG with tRNS, \(name)")
      var tiff = TIFFBuilder(width: 64, height: 64, colors: .gray, alpha: .unassociated)
      (tiff.samples, tiff.changes[34_675]) = (alpha.samples, tiff.bytes(profile))
      try await expect(wanted, tiff.encoded(), "TIFF, \(name)")
    }
    let jxl = try JXLRecipe().with { $0.profile = ICCBuilder.gray(.gamma(1)) }
      .encode(Pixels(width: 64, height: 64, color: [Self.level, 255]))
    try await expect(182, jxl, "JPEG XL")
  }

  @Test func profilesForRGBCount() async throws {
    func jpeg(_ profile: [UInt8]) throws -> [UInt8] {
      try JPEGRecipe.gray.with { $0.segments = ICCBuilder.segments(for: profile) }.encode(Self.plain)
    }
    let proPhoto = [[0.7977, 0.2880, 0], [0.1352, 0.7119, 0], [0.0313, 0.0001, 0.8249]]
    let usual = ICCBuilder.matrix(proPhoto, [.gamma(1.8), .gamma(1.8), .gamma(1.8)])
    try await expect(138, jpeg(usual), "ProPhoto RGB")
    // Curves that differ have the luminance of their neutral colors.
    let uneven = ICCBuilder.matrix(proPhoto, [.gamma(1), .gamma(2.2), .gamma(2.2)])
    let rgb = try #require(try ColorConversion(from: uneven, format: .rgb))
    let color = try rgb.converted(PixelBuffer(Pixels(width: 1, height: 1, color: [119, 119, 119])), job: .forTests())
    let lights = color.bytes.map(SRGB.light)
    let neutral = SRGB.levels[Int((0.2126 * lights[0] + 0.7152 * lights[1] + 0.0722 * lights[2]) * Double(SRGB.steps))]
    // A circle has colors, and keeps the profile as it is.
    try await expect(Int(neutral), jpeg(uneven), "curves that differ", circles: [false])
    // Those for other colors are still dropped.
    let inks = try await crop(jpeg(ICCBuilder.profile(.cmyk)))
    #expect(inks.warnings == [.profileDropped] && level(inks.crop.pixels) == Int(Self.level))
  }

  /// Formats without gray get a profile for RGB.
  @Test func formatsWithoutGrayKeepTheProfile() async throws {
    var png = PNGBuilder(Self.plain)
    png.before = [PNGBuilder.profile(ICCBuilder.gray(.gamma(1)))]
    let kept = try await crop(png.encoded(), keeps: true).crop
    for format in [OutputFormat.webpLossless, .gif] {
      let file = try await FaceCropper().encode(kept, as: format)
      #expect(try await abs(level(crop(file).crop.pixels) - 182) <= 1, "\(format)")
    }
  }
}
