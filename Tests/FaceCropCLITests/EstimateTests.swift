import FaceCrop
import SystemPackage
import TestSupport
import Testing

/// What a crop takes against what the header let expect: by this `facecrop batch --memory` lets pictures in.
@Suite(.serialized, .enabled(if: Facecrop.canMeasureMemory)) struct EstimateTests {
  struct Kind: CustomTestStringConvertible {
    var name: String
    var encode: @Sendable () throws -> [UInt8]
    var testDescription: String { name }
  }

  /// 12 megapixels without a face.
  private static func pattern(_ channels: Int = 3) -> Pixels {
    .testPattern(width: 4_000, height: 3_000, channels: channels)
  }

  static let kinds =
    [
      Kind(name: "baseline.jpg") { try JPEGRecipe.baseline420.encode(pattern()) },
      Kind(name: "full.jpg") { try JPEGRecipe.baseline444.encode(pattern()) },
      Kind(name: "progressive.jpg") { try JPEGRecipe.progressive.encode(pattern()) },
      Kind(name: "rgb.png") { try encodePNG(pattern()) },
      Kind(name: "rgba.png") { try encodePNG(pattern(4)) },
      Kind(name: "interlaced.png") { try encodePNG(pattern(), isInterlaced: true) },
      Kind(name: "lossy.webp") { try encodeWebP(pattern().rgba, quality: 70) },
      Kind(name: "alpha.webp") { try encodeWebP(pattern(4), quality: 70) },
      // One of a few colors, since libwebp takes a minute for more.
      Kind(name: "lossless.webp") { try encodeWebP(bars.rgba, quality: nil) },
    ] + heif

  #if HEIF
    private static let heif = [
      Kind(name: "whole.heic") { try HEIFBuilder(CodedItem(pattern(), quality: 50, hasOffset: true)).encoded() },
      Kind(name: "deep.heic") { try HEIFBuilder(CodedItem(pattern(), codec: .hevc, depth: 10, quality: 50)).encoded() },
      Kind(name: "tiled.heic") {
        let tile = try CodedItem(.testPattern(width: 512, height: 512), hasOffset: true)
        var builder = HEIFBuilder()
        builder.primary = builder.addGrid(
          [CodedItem](repeating: tile, count: 48), columns: 8, width: 4_000, height: 3_000)
        return builder.encoded()
      },
      Kind(name: "whole.avif") { try HEIFBuilder(CodedItem(pattern(), codec: .av1, quality: 50)).encoded() },
      Kind(name: "deep.avif") {
        try HEIFBuilder(CodedItem(pattern(), codec: .av1, depth: 10, chroma: "422", quality: 50)).encoded()
      },
    ]
  #else
    private static let heif: [Kind] = []
  #endif

  private static var bars: Pixels {
    let row = Pixels.testPattern(width: 4_000, height: 1).samples.map { $0 & 0xC0 }
    return Pixels(
      width: 4_000, height: 3_000, channels: 3, samples: [[UInt8]](repeating: row, count: 3_000).flatMap { $0 })
  }

  /// The command with next to no picture: as far as the header, and with its detector, which may be gone when the region comes.
  private static let base = Result {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.faceless(), to: "in.jpg")
      return (
        header: try Facecrop.peakMemory(["info", input]).bytes,
        detector: try Facecrop.peakMemory(["crop", input, "-o", folder / "out.jpg"]).bytes
      )
    }
  }

  /// Never more than expected, beside the file that is mapped and the detector, and at least a third of it.
  @Test(arguments: kinds) func aCropTakesWhatTheHeaderLetExpect(kind: Kind) async throws {
    let file = try kind.encode()
    let info = try await FaceCropper().info(of: .bytes(file))
    #expect(info.size == PixelSize(width: 4_000, height: 3_000))
    let base = try Self.base.get()
    try TemporaryFolder.with { folder in
      let input = try folder.write(file, to: kind.name)
      let suffix = kind.name.split(separator: ".")[1]
      let output = folder / "out.\(["heic", "avif"].contains(suffix) ? "jpg" : suffix)"
      for size in [nil, 512] {
        var request = CropRequest()
        request.sizes = size.map { [.longSide($0)] } ?? []
        let run = try Facecrop.peakMemory(
          ["crop", input, "-o", output, "--no-face", "whole"] + (size.map { ["--size", "\($0)"] } ?? []))
        #expect(run.status == 0)
        let expected = info.memory(for: request)
        let least = run.bytes - base.detector - file.count
        let most = run.bytes - base.header
        let sentence = "expected \(expected >> 20) MiB, \(least >> 20) to \(most >> 20) were taken"
        #expect(least <= expected, "\(sentence)")
        #expect(expected <= 3 * most, "\(sentence)")
      }
    }
  }
}
