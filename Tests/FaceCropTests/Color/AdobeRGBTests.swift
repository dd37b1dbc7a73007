import TestSupport
import Testing

@testable import FaceCrop

/// Cameras that are set to Adobe RGB write no profile, but EXIF data that name it (DCF 2.0).
@Suite struct AdobeRGBTests {
  /// EXIF data with a color space and an interoperability index.
  private static func exif(_ space: Int = 0xFFFF, _ index: String = "R03") -> [UInt8] {
    var exif = EXIF(.bigEndian)
    exif.values[.exif] = [EXIFTags.colorSpace: exif.short(space)]
    exif.values[.interoperability] = [1: EXIF.Value(type: .ascii, bytes: Array(index.utf8) + [0])]
    return exif.written()!
  }

  private static let color: [UInt8] = [180, 120, 100]
  /// By the matrices and curves of both spaces.
  private static let wanted = [200, 121, 99]

  private static func jpeg(_ exif: [UInt8], profile: [UInt8]? = nil) throws -> [UInt8] {
    try JPEGRecipe.baseline444.with {
      $0.quality = 100
      $0.segments = [.app(1, Array("Exif\0\0".utf8) + exif)] + (profile.map { ICCBuilder.segments(for: $0) } ?? [])
    }.encode(Pixels(width: 64, height: 64, color: color))
  }

  private func crop(_ file: [UInt8], keeps: Bool = false) async throws -> (color: [Int], crop: RenderedCrop) {
    var request = CropRequest()
    request.output.color = keeps ? .keep : .srgb
    let result = try await FaceCropper(detector: StubDetector()).crop(.bytes(file), request: request)
    #expect(result.warnings.isEmpty)
    return (result.crops[0].pixels.bytes.prefix(3).map(Int.init), result.crops[0])
  }

  private func near(_ color: [Int], _ wanted: [Int]) -> Bool { zip(color, wanted).allSatisfy { abs($0 - $1) <= 2 } }

  @Test func theDataNameTheColors() async throws {
    var png = PNGBuilder(Pixels(width: 64, height: 64, color: Self.color))
    png.before = [PNGBuilder.exif(Self.exif())]
    let webp = try await FaceCropper().encode(
      RenderedCrop(
        pixels: PixelBuffer(Pixels(width: 64, height: 64, color: Self.color)),
        region: PixelRect(x: 0, y: 0, width: 64, height: 64), faces: [], crop: 0, colorProfile: nil, exif: Self.exif(),
        path: .sequential), as: .webpLossless)
    for file in [try Self.jpeg(Self.exif()), png.encoded(), webp] {
      #expect(try await near(crop(file).color, Self.wanted))
      let kept = try await crop(file, keeps: true)
      #expect(near(kept.color, Self.color.map(Int.init)) && kept.crop.colorProfile == ICCProfile.adobeRGB)
      let info = try await FaceCropper().info(of: .bytes(file))
      #expect(info.profile?.isByEXIF == true && info.profile?.name == "Compatible with Adobe RGB (1998)")
    }
    // Blocks that are kept need the profile, since the EXIF data are not.
    let hidden = try await FaceCropper(detector: StubDetector()).blur(
      .bytes(Self.jpeg(Self.exif())), request: BlurRequest(metadata: .strip))
    #expect(try await near(crop(hidden.bytes).color, Self.wanted))
  }

  /// A profile, a chunk, and other words win.
  @Test func otherFilesStay() async throws {
    let own = Self.color.map(Int.init)
    let profile = try await crop(Self.jpeg(Self.exif(), profile: ICCBuilder.profile(.rgb)))
    #expect(near(profile.color, own))
    for exif in [Self.exif(1), Self.exif(0xFFFF, "R98"), Self.exif(2)] {
      #expect(try await near(crop(Self.jpeg(exif)).color, own))
    }
    var png = PNGBuilder(Pixels(width: 64, height: 64, color: Self.color))
    for chunk in [("sRGB", [0]), ("cICP", [1, 13, 0, 1])] as [(name: String, data: [UInt8])] {
      png.before = [chunk, PNGBuilder.exif(Self.exif())]
      #expect(try await near(crop(png.encoded()).color, own))
    }
  }
}
