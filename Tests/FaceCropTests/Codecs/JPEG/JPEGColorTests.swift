import Glibc
import TestSupport
import Testing

@testable import FaceCrop

@Suite struct JPEGColorTests {
  /// White paper and full inks look as a printer would show them. CMYK is inverted with and without Adobe's marker.
  @Test(arguments: [true, false])
  func inksBecomeTheirColors(isAdobe: Bool) throws {
    let inks: [(cmyk: [UInt8], rgb: [Int])] = [
      ([0, 0, 0, 0], [255, 255, 255]), ([255, 0, 0, 0], [0, 255, 255]), ([0, 255, 0, 0], [255, 0, 255]),
      ([0, 0, 255, 0], [255, 255, 0]), ([0, 0, 0, 255], [0, 0, 0]), ([255, 255, 255, 255], [0, 0, 0]),
      ([0, 0, 0, 128], [127, 127, 127]),
    ]
    for recipe in isAdobe ? [JPEGRecipe.cmykAdobe, .ycckAdobe] : [.cmykPlain] {
      for (cmyk, rgb) in inks {
        let stored = cmyk.map { 255 - $0 }
        let jpeg = try recipe.with { $0.quality = 100 }.encode(Pixels(width: 24, height: 24, color: stored))
        let pixel = try JPEGSession.with(jpeg) { (session) throws(FaceCropError) in
          Array(try session.region(PixelRect(x: 8, y: 8, width: 1, height: 1)).bytes)
        }
        #expect(zip(pixel, rgb).allSatisfy { abs(Int($0) - $1) <= 4 }, "\(cmyk): \(pixel), not \(rgb)")
      }
    }
  }

  /// A CMYK profile determines the colors: here the Lab values of the fixture's overprints, in sRGB (IEC 61966-2-1), on
  /// each decoding path. The perceptual intent also maps the paper's black to the screen's, by some levels.
  @Test(arguments: [JPEGRecipe.cmykAdobe, .ycckAdobe, .cmykPlain, .cmykAdobe.with { $0.progressive = true }])
  func aProfileOfInksCounts(recipe: JPEGRecipe) async throws {
    let profile = ICCBuilder.profile(.cmyk)
    let inks: [(cmyk: [UInt8], lab: [Double])] = [
      ([0, 0, 0, 0], [100, 0, 0]), ([0, 255, 0, 0], [47.8, 74, -3]), ([255, 0, 255, 0], [50.2, -68, 27]),
      ([255, 255, 255, 0], [20, 0, 0]),
    ]
    for (cmyk, lab) in inks {
      let stored = cmyk.map { 255 - $0 }
      let jpeg = try recipe.with {
        $0.quality = 100
        $0.segments = ICCBuilder.segments(for: profile)
      }.encode(Pixels(width: 48, height: 48, color: stored))
      for access in [JPEGSession.Access.sequential, .indexed] {
        let pixel = try JPEGSession.with(jpeg, access: access) { (session) throws(FaceCropError) in
          #expect(session.header.profile == nil, "it does not describe RGB")
          #expect(session.warnings.isEmpty)
          return Array(try session.region(PixelRect(x: 21, y: 40, width: 1, height: 1)).bytes)
        }
        let rgb = Self.sRGB(lab)
        #expect(zip(pixel, rgb).allSatisfy { abs(Double($0) - $1) <= 10 }, "\(cmyk): \(pixel), not \(rgb)")
      }
    }
  }

  /// Converts Lab under D50 to sRGB, 0…255, by the matrix of ICC's sRGB profile.
  private static func sRGB(_ lab: [Double]) -> [Double] {
    let y = (lab[0] + 16) / 116
    func cube(_ t: Double) -> Double { t > 6.0 / 29 ? t * t * t : 3 * 36 / 841 * (t - 4.0 / 29) }
    let (x, yy, z) = (0.9642 * cube(y + lab[1] / 500), cube(y), 0.8249 * cube(y - lab[2] / 200))
    let linear = [
      3.1338561 * x - 1.6168667 * yy - 0.4906146 * z, -0.9787684 * x + 1.9161415 * yy + 0.0334540 * z,
      0.0719453 * x - 0.2289914 * yy + 1.4052427 * z,
    ]
    return linear.map { value in
      let value = min(max(value, 0), 1)
      return 255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055)
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
    let header = try JPEGHeader(reading: output.span, job: .forTests())
    #expect(header.components[0].horizontalSampling == sampling)
    #expect(header.components[0].verticalSampling == sampling)
  }

  @Test(arguments: ChromaSubsampling.allCases, [false, true])
  func theFileIsOfTheKindAskedFor(subsampling: ChromaSubsampling, isProgressive: Bool) async throws {
    let cropper = FaceCropper(detector: StubDetector())
    let picture = try astronaut().cropped(x: 100, y: 50, width: 201, height: 163)
    for channels in [3, 1] {
      let recipe = channels == 3 ? JPEGRecipe.baseline444 : .gray
      let jpeg = try recipe.with { $0.quality = 100 }.encode(picture)
      let crop = try await cropper.crop(.bytes(jpeg)).crops[0]
      let output = try await cropper.encode(
        crop, as: .jpeg(quality: 85, subsampling: subsampling, isProgressive: isProgressive))
      let header = try JPEGHeader(reading: output.span, job: .forTests())
      #expect(header.isProgressive == isProgressive)
      let factors = header.components[0]
      if channels == 3 {
        let wanted = [.yuv444: [1, 1], .yuv422: [2, 1]][subsampling] ?? [2, 2]
        #expect([factors.horizontalSampling, factors.verticalSampling] == wanted)
      }
      let decoded = try referenceDecode(output, as: .native).pixels
      #expect(decoded.meanDifference(from: Pixels(crop.pixels)) < 4)
    }
  }

  @Test(arguments: [0, 101, -5])
  func impossibleQualitiesAreRefused(quality: Int) async throws {
    let cropper = FaceCropper(detector: StubDetector())
    let crop = try await cropper.crop(.bytes(JPEGRecipe.gray.encode(.noise(width: 8, height: 8, channels: 1)))).crops[0]
    let error = await #expect(throws: FaceCropError.self) {
      try await cropper.encode(crop, as: .jpeg(quality: quality))
    }
    #expect(error?.kind == "invalid" && error.map { "\($0)".contains("1 to 100, not \(quality)") } == true)
  }
}
