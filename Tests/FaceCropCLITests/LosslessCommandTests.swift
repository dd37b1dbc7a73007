import Foundation
import TestSupport
import Testing

/// `crop --lossless`, compared with libjpeg-turbo's jpegtran and djpeg.
@Suite struct LosslessCommandTests {
  /// Returns the plan's region, grown to MCUs of that size.
  private func grown(_ plan: PlanJSON, mcu: Int) -> (x: Int, y: Int, width: Int, height: Int) {
    let asked = plan.pixels()
    let (x, y) = (asked.x / mcu * mcu, asked.y / mcu * mcu)
    func end(_ end: Int, _ side: Int) -> Int { min((end + mcu - 1) / mcu * mcu, side) }
    return (
      x, y, end(asked.x + asked.width, plan.source.width) - x, end(asked.y + asked.height, plan.source.height) - y
    )
  }

  @Test(arguments: ["baseline", "progressive"]) func equalsJpegtran(kind: String) throws {
    try TemporaryFolder.with { folder in
      let recipe = kind == "baseline" ? JPEGRecipe.baseline420 : .progressive
      let input = try folder.write(recipe.encode(largePortrait(width: 900, height: 1203)), to: "in.jpg")
      let outcome = try Facecrop.run(
        "crop", input, "-o", folder / "cut.jpg", "--lossless", "--padding", "0.4", "--plan-out", folder / "plan.json")
      #expect(outcome.status == 0)
      #expect(outcome.stderr.contains("JPEG blocks"))
      let region = grown(try PlanJSON(folder.text("plan.json")), mcu: 16)
      try Facecrop.prepare(
        """
        jpegtran -copy none -crop \(region.width)x\(region.height)+\(region.x)+\(region.y) -outfile tran.jpg in.jpg
        for name in cut tran in; do djpeg -ppm -outfile $name.ppm $name.jpg; done
        cmp cut.ppm tran.ppm
        """, in: folder)

      // One chroma sample at the cut is upsampled without its neighbors; all other pixels equal the full decode.
      let cut = try referenceDecode(folder.bytes("cut.jpg")).pixels
      let whole = try referenceDecode(folder.bytes("in.jpg")).pixels
        .cropped(x: region.x, y: region.y, width: region.width, height: region.height)
      let inner = (x: 2, y: 2, width: region.width - 4, height: region.height - 4)
      func inside(_ pixels: Pixels) -> Pixels {
        pixels.cropped(x: inner.x, y: inner.y, width: inner.width, height: inner.height)
      }
      #expect(inside(cut).maximumDifference(from: inside(whole)) == 0)
    }
  }

  @Test func refusesOptionsThatDecode() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      for options in [
        ["--size", "100"], ["--upscale"], ["--align"], ["--progressive"], ["--subsampling", "420"], ["--pad", "edge"],
        ["--format", "png"], ["-o", folder / "out.webp"], ["--matte", "ffffff"], ["--quality", "50"],
        ["--color", "srgb"], ["--shape", "circle"], ["--size", "100x"],
      ] {
        let outcome = try Facecrop.run(["crop", input, "--lossless"] + options)
        #expect(outcome.status == 64, "\(options)")
        #expect(outcome.stderr.contains("--lossless"), "\(options)")
      }
      #expect(try folder.names() == ["in.jpg"])
    }
  }

  @Test func otherFormatsAreNoInput() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(PNGBuilder(try astronaut()).encoded(), to: "in.png")
      let outcome = try Facecrop.run("crop", input, "--lossless", "-o", folder / "out.jpg")
      #expect(outcome.status == 1)
      #expect(outcome.stderr.hasPrefix("facecrop: \(input): ") && outcome.stderr.contains("JPEG"))
      #expect(try folder.names() == ["in.png"])
    }
  }
}
