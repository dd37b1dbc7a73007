import Foundation
import TestSupport
import Testing

/// `--template`.
@Suite struct TemplateTests {
  private func outputs(_ outcome: Facecrop.Outcome) throws -> [[String: Any]] {
    try #require(jsonObject(outcome.lines[0])["outputs"] as? [[String: Any]])
  }

  /// Each face has an output of exactly the template's size, with its matrix and landmarks.
  @Test(arguments: [("arcface-112", 112), ("dlib-150", 150), ("ffhq-1024", 1_024)])
  func eachFaceHasAChip(name: String, side: Int) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let made = try Facecrop.run("crop", input, "-o", folder / "chip.png", "--template", name, "--json")
      #expect(made.status == 0, "\(made.stderr)")
      let outputs = try outputs(made)
      #expect(outputs.count == 1 && (outputs[0]["file"] as? String)?.hasSuffix("chip-1.png") == true)
      #expect(outputs[0]["width"] as? Int == side && outputs[0]["height"] as? Int == side)
      #expect((outputs[0]["matrix"] as? [Double])?.count == 6 && (outputs[0]["landmarks"] as? [[Double]])?.count == 5)
      // A plan gives the same pixels, and one face can be selected.
      let plan = folder / "plan.json"
      #expect(
        try Facecrop.run(
          "crop", input, "-o", folder / "one.png", "--template", name, "--faces", "largest", "--plan-out", plan
        ).status == 0)
      #expect(try folder.bytes("one.png") == folder.bytes("chip-1.png"))
      #expect(try Facecrop.run("crop", input, "-o", folder / "again.png", "--plan-in", plan).status == 0)
      #expect(try folder.bytes("again.png") == folder.bytes("one.png"))
      #expect(
        try Facecrop.run("crop", input, "-o", folder / "no.png", "--plan-in", plan, "--size", "64").status == 1)
    }
  }

  @Test func filesAndBatches() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let text = #"{"name": "mine", "size": [96, 112], "points": [[30, 52], [66, 52], [48, 72], [34, 92], [63, 92]]}"#
      let file = try folder.write(Array(text.utf8), to: "mine.json")
      let made = try Facecrop.run(
        "crop", input, "-o", folder / "chip.png", "--template", file, "--json", "--pad", "ff0000")
      #expect(made.status == 0, "\(made.stderr)")
      #expect(try outputs(made)[0]["width"] as? Int == 96)
      let batch = try Facecrop.run("batch", input, "-d", folder / "out", "--template", "arcface-112", "--json")
      #expect(batch.status == 0, "\(batch.stderr)")
      #expect(FileManager.default.fileExists(atPath: folder / "out/in-1.jpg"))
      // Without a face there is no output, and the status says so.
      let none = try folder.write(Samples.faceless(), to: "none.jpg")
      #expect(try Facecrop.run("crop", none, "-o", folder / "none.png", "--template", "arcface-112").status == 2)
      #expect(!FileManager.default.fileExists(atPath: folder / "none-1.png"))
      for wrong in [#"{"name": "x"}"#, "[", #"{"name": "x", "size": [5, 5000], "fit": "ffhq"}"#] {
        let file = try folder.write(Array(wrong.utf8), to: "wrong.json")
        let refused = try Facecrop.run("crop", input, "--template", file)
        #expect(refused.status == 64 && refused.stderr.contains("wrong.json"), "\(refused.stderr)")
      }
      let long = try folder.write([UInt8](repeating: 32, count: 70_000), to: "long.json")
      #expect(try Facecrop.run("crop", input, "--template", long).stderr.contains("longer than 65536 bytes"))
    }
  }

  @Test func wrongUsage() throws {
    for wrong in [
      ["--template", "arcface"], ["--template", "missing.json"], ["--template", "dlib-150", "--size", "5"],
      ["--template", "dlib-150", "--preset", "avatar"], ["--template", "dlib-150", "--faces", "union"],
      ["--template", "dlib-150", "--align"], ["--template", "dlib-150", "--no-face", "whole"],
      ["--template", "dlib-150", "--lossless"], ["--template", "dlib-150", "--detector", "haar"],
      ["--template", "dlib-150", "--fill", "1:1"], ["--template", "dlib-150", "-o", "-"],
    ] {
      #expect(try Facecrop.run(["crop", "a.jpg"] + wrong).status == 64, "\(wrong)")
    }
  }
}
