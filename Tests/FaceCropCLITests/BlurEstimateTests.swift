import FaceCrop
import FoundationEssentials
import TestSupport
import Testing

/// The memory of hiding faces compared with the estimate from the header, by which the server admits images.
@Suite(.serialized, .enabled(if: Facecrop.canMeasureMemory)) struct BlurEstimateTests {
  private static let names: Set = [
    "baseline.jpg", "full.jpg", "progressive.jpg", "rgb.png", "rgba.png", "interlaced.png", "lossy.webp", "alpha.webp",
    "interlaced.gif", "lzw.tiff", "tiled.heic",
  ]

  /// Files that are encoded again, and JPEG files whose blocks are kept. The last one has tables of its own.
  static let kinds =
    EstimateTests.kinds.filter { names.contains($0.name) } + [
      EstimateTests.Kind(name: "optimized.jpg") {
        try JPEGRecipe(sampling: [.init(2, 2)], optimizedHuffman: true).encode(
          .testPattern(width: 4_000, height: 3_000))
      }
    ]

  /// The command with a tiny image: up to the header, and with the detector.
  private static let base = Result {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.faceless(), to: "in.jpg")
      return (
        header: try Facecrop.peakMemory(["info", input]).bytes,
        detector: try Facecrop.peakMemory(["blur", input, "-o", folder / "out.jpg"]).bytes
      )
    }
  }

  /// The estimate covers a search without a face, and a given plan that hides the whole image. It is at most twice the
  /// memory of files that need all coefficients or pixels, and 40 MiB.
  @Test(arguments: kinds) func blurTakesWhatTheHeaderLetsExpect(kind: EstimateTests.Kind) async throws {
    let file = try kind.encode()
    let info = try await FaceCropper().info(of: .bytes(file))
    let expected = info.memory(for: BlurRequest())
    let base = try Self.base.get()
    let whole = CropPlan(
      source: info.size, detector: "", faces: [], crops: [CropPlan.Crop(region: .whole, faces: [])])
    try TemporaryFolder.with { folder in
      let input = try folder.write(file, to: kind.name)
      let plan = try folder.write(Array(JSONEncoder().encode(whole)), to: "plan.json")
      let output = folder / "out.\(info.format.usualFormat.fileExtensions[0])"
      for (options, started, status) in [([], base.detector, 2), (["--plan-in", plan], base.header, 0)] {
        let run = try Facecrop.peakMemory(["blur", input, "-o", output, "--timeout", "120"] + options)
        #expect(run.status == Int32(status))
        let least = run.bytes - started - file.count
        let most = run.bytes - base.header
        let sentence = "\(options) expected \(expected >> 20) MiB, \(least >> 20) to \(most >> 20) were taken"
        #expect(least <= expected, "\(sentence)")
        // The index of a file with one scan takes much less than its coefficients.
        let isWorstCase = !options.isEmpty && !["baseline.jpg", "full.jpg", "optimized.jpg"].contains(kind.name)
        if isWorstCase { #expect(expected <= 2 * most + (40 << 20), "\(sentence)") }
      }
    }
  }
}
