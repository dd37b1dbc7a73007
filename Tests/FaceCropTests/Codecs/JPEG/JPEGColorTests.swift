import TestSupport
import Testing

@testable import FaceCrop

@Suite struct JPEGColorTests {
  /// White paper and full inks come out as a printer would show them, with Adobe's inversion and without.
  @Test(arguments: [true, false])
  func inksBecomeTheirColors(isAdobe: Bool) throws {
    let inks: [(cmyk: [UInt8], rgb: [Int])] = [
      ([0, 0, 0, 0], [255, 255, 255]), ([255, 0, 0, 0], [0, 255, 255]), ([0, 255, 0, 0], [255, 0, 255]),
      ([0, 0, 255, 0], [255, 255, 0]), ([0, 0, 0, 255], [0, 0, 0]), ([255, 255, 255, 255], [0, 0, 0]),
      ([0, 0, 0, 128], [127, 127, 127]),
    ]
    for recipe in isAdobe ? [JPEGRecipe.cmykAdobe, .ycckAdobe] : [.cmykPlain] {
      for (cmyk, rgb) in inks {
        let stored = isAdobe ? cmyk.map { 255 - $0 } : cmyk
        let jpeg = try recipe.with { $0.quality = 100 }.encode(Pixels(width: 24, height: 24, color: stored))
        let pixel = try JPEGSession.with(jpeg) { (session) throws(FaceCropError) in
          Array(try session.region(PixelRect(x: 8, y: 8, width: 1, height: 1)).bytes)
        }
        #expect(zip(pixel, rgb).allSatisfy { abs(Int($0) - $1) <= 4 }, "\(cmyk): \(pixel), not \(rgb)")
      }
    }
  }

  @Test func grayStaysGray() async throws {
    let picture = Pixels.testPattern(width: 64, height: 64, channels: 1, seed: 1)
    let cropper = FaceCropper(detector: StubDetector())
    let result = try await cropper.crop(.bytes(JPEGRecipe.gray.encode(picture)))
    #expect(result.crops[0].pixels.format == .gray)
    let output = try await cropper.encode(result.crops[0], as: .jpeg(quality: 95))
    let decoded = try referenceDecode(output, as: .native).pixels
    #expect(decoded.channels == 1)
    #expect(decoded.meanDifference(from: Pixels(result.crops[0].pixels)) < 2)
  }

  @Test(arguments: [(75, 2), (89, 2), (90, 1), (100, 1)])
  func colorIsStoredInFullFromQuality90(quality: Int, sampling: Int) async throws {
    let cropper = FaceCropper(detector: StubDetector())
    let jpeg = try JPEGRecipe.baseline444.encode(.testPattern(width: 64, height: 48, channels: 3, seed: 1))
    let crop = try await cropper.crop(.bytes(jpeg)).crops[0]
    let output = try await cropper.encode(crop, as: .jpeg(quality: quality))
    let header = try JPEGHeader(reading: output.span, limits: Limits())
    #expect(header.components[0].horizontalSampling == sampling)
    #expect(header.components[0].verticalSampling == sampling)
  }

  @Test(arguments: [0, 101, -5])
  func impossibleQualitiesAreRefused(quality: Int) async throws {
    let cropper = FaceCropper(detector: StubDetector())
    let crop = try await cropper.crop(.bytes(JPEGRecipe.gray.encode(.noise(width: 8, height: 8, channels: 1)))).crops[0]
    await #expect(throws: FaceCropError.invalidRequest("the quality must be 1 to 100")) {
      try await cropper.encode(crop, as: .jpeg(quality: quality))
    }
  }
}
