import Foundation
import TestSupport
import Testing

/// `--fill` and the presets of platforms.
@Suite struct FillTests {
  private func size(_ path: String) throws -> [Int?] {
    let info = try jsonObject(Facecrop.run("info", "--json", path).lines[0])
    return [info["width"] as? Int, info["height"] as? Int]
  }

  /// One run makes each shape, and each equals the output of a run of its own.
  @Test func severalShapesEqualSingleOnes() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let all = try Facecrop.run("crop", input, "-o", folder / "all.png", "--fill", "16:9,1:1,9:16")
      #expect(all.status == 0, "\(all.stderr)")
      for shape in ["16:9", "1:1", "9:16"] {
        let one = try Facecrop.run("crop", input, "-o", folder / "one.png", "--fill", shape)
        #expect(one.status == 0, "\(one.stderr)")
        let name = "all-\(shape.replacingOccurrences(of: ":", with: "x")).png"
        #expect(try folder.bytes(name) == folder.bytes("one.png"), "\(shape)")
      }
      // With sizes, each shape has each of them.
      let sized = try Facecrop.run(
        "crop", input, "-o", folder / "s.png", "--fill", "2:1,1:2", "--size", "200,100")
      #expect(sized.status == 0)
      #expect(try size(folder / "s-2x1-200.png") == [200, 100] && size(folder / "s-1x2-100.png") == [50, 100])
    }
  }

  @Test func imagesWithoutAFaceHaveTheShape() throws {
    try TemporaryFolder.with { folder in
      let none = try folder.write(Samples.faceless(), to: "none.jpg")
      #expect(try Facecrop.run("crop", none, "-o", folder / "n.png", "--fill", "1:1").status == 0)
      let square = try size(folder / "n.png")
      #expect(square[0] == square[1])
    }
  }

  @Test func platformsAndBatches() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let social = try Facecrop.run(
        "crop", input, "-o", folder / "social.jpg", "--preset", "social-facebook", "--upscale")
      #expect(social.status == 0, "\(social.stderr)")
      #expect(try size(folder / "social.jpg") == [1_200, 630])
      let batch = try Facecrop.run("batch", input, "-d", folder / "out", "--fill", "16:9,1:1")
      #expect(batch.status == 0, "\(batch.stderr)")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder / "out").filter { $0.hasSuffix(".jpg") }
      #expect(names.sorted() == ["in-16x9.jpg", "in-1x1.jpg"])
    }
  }

  @Test func wrongUsage() throws {
    for wrong in [
      ["--fill", "16"], ["--fill", "16:9", "--aspect", "1:1"], ["--fill", "16:9", "--padding", "0.2"],
      ["--fill", "16:9", "--preset", "avatar"], ["--fill", "1:1,2:2"], ["--fill", "1:1,2:1", "--size", "5x"],
      ["--fill", "1:1", "--align"], ["--preset", "social-facebook", "--padding", "1"], ["--preset", "social-none"],
      ["--fill", "1:1,2:1", "--lossless"], ["--fill", "1:1", "--size", "2x2in"],
    ] {
      #expect(try Facecrop.run(["crop", "a.jpg"] + wrong).status == 64, "\(wrong)")
    }
  }
}
