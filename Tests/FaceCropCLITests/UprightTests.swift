import Foundation
import TestSupport
import Testing

/// `--upright auto`.
@Suite struct UprightCommandTests {
  /// All commands and plans rotate an image that lies on its side, and give the upright image's output.
  @Test func lyingImagesComeOutUpright() throws {
    try TemporaryFolder.with { folder in
      let portrait = try astronaut()
      try folder.write(PNGBuilder(portrait).encoded(), to: "upright.png")
      let lying = try folder.write(PNGBuilder(portrait.turned(orientation: 6)).encoded(), to: "lying.png")
      #expect(try Facecrop.run("avatar", folder / "upright.png", "-o", folder / "wanted.png").status == 0)
      let wanted = try folder.bytes("wanted.png")
      let made = try Facecrop.run(
        "avatar", lying, "-o", folder / "made.png", "--upright", "auto", "--plan-out", folder / "plan.json", "--json")
      #expect(made.status == 0, "\(made.stderr)")
      #expect(try folder.bytes("made.png") == wanted)
      #expect(try jsonObject(made.lines[0])["rotation"] as? Int == 270)
      let again = try Facecrop.run("avatar", lying, "-o", folder / "again.png", "--plan-in", folder / "plan.json")
      #expect(again.status == 0, "\(again.stderr)")
      #expect(try folder.bytes("again.png") == wanted)
      #expect(try Facecrop.run("avatar", lying, "-o", folder / "off.png").status == 0)
      #expect(try folder.bytes("off.png") != wanted)

      let found = try jsonObject(Facecrop.run("detect", lying, "--upright", "auto").lines[0])
      #expect(found["rotation"] as? Int == 270 && found["orientation"] as? Int == 8)
      let upright = try jsonObject(Facecrop.run("detect", folder / "upright.png", "--upright", "auto").lines[0])
      #expect(upright["rotation"] as? Int == 0)
      #expect(try jsonObject(Facecrop.run("detect", lying).lines[0])["rotation"] == nil)

      let batch = try Facecrop.run(
        "batch", lying, "-d", folder / "out", "--preset", "avatar", "--upright", "auto", "--report",
        folder / "report.html")
      #expect(batch.status == 0, "\(batch.stderr)")
      #expect(try folder.bytes("out/lying.png") == wanted)
      #expect(try String(decoding: folder.bytes("report.html"), as: UTF8.self).contains("\"rotation\":270"))
      let worker = try Facecrop.run(
        ["batch", "--worker"],
        stdin: Array(
          "{\"input\":\"\(lying)\",\"output\":\"\(folder / "worker.png")\",\"preset\":\"avatar\",\"upright\":\"auto\"}\n"
            .utf8))
      #expect(worker.status == 0, "\(worker.stderr)")
      #expect(try folder.bytes("worker.png") == wanted)
    }
  }

  /// A JPEG without EXIF data gets an orientation, because its pixels are not rotated.
  @Test func losslessCropsHaveAnOrientation() throws {
    try TemporaryFolder.with { folder in
      let lying = try JPEGRecipe.baseline444.encode(astronaut().turned(orientation: 6))
      try folder.write(lying, to: "lying.jpg")
      let cut = try Facecrop.run(
        "crop", "lying.jpg", "-o", "cut.jpg", "--lossless", "--upright", "auto", currentDirectory: folder.path)
      #expect(cut.status == 0, "\(cut.stderr)")
      let found = try jsonObject(Facecrop.run("detect", folder / "cut.jpg").lines[0])
      #expect(found["orientation"] as? Int == 8)
      #expect((found["faces"] as? [Any])?.count == 1)
    }
  }

  /// A plan already has the rotation, and lossless crops can have one.
  @Test func plansAndWrongValues() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "a.jpg")
      #expect(try Facecrop.run("crop", input, "--upright", "yes").status == 64)
      #expect(try Facecrop.run("crop", input, "-o", folder / "b.jpg", "--plan-out", folder / "p.json").status == 0)
      let ignored = try Facecrop.run(
        "crop", input, "-o", folder / "c.jpg", "--plan-in", folder / "p.json", "--upright", "auto")
      #expect(ignored.status == 0 && ignored.stderr.contains("--upright had no effect"))
      let cut = try Facecrop.run("crop", input, "-o", folder / "d.jpg", "--lossless", "--upright", "auto")
      #expect(cut.status == 0, "\(cut.stderr)")
    }
  }
}
