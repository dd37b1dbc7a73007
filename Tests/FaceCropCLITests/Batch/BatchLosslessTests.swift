import Foundation
import TestSupport
import Testing

/// `--lossless` for many images: the files equal those of `crop --lossless`, and other formats fail alone.
@Suite struct BatchLosslessTests {
  private func prepare(_ folder: TemporaryFolder) throws {
    try Facecrop.prepare("mkdir in", in: folder)
    try folder.write(JPEGRecipe.baseline420.encode(largePortrait(width: 900, height: 1203)), to: "in/a.jpg")
    try folder.write(JPEGRecipe.progressive.encode(Samples.twoFaces()), to: "in/two.jpg")
    // Named like a JPEG file, and one under another name.
    try folder.write(PNGBuilder(try astronaut()).encoded(), to: "in/png.jpg")
    try folder.write(Samples.portrait(), to: "in/portrait.png")
  }

  @Test func filesAreThoseOfCrop() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let wanted = ["--lossless", "--faces", "each", "--padding", "0.3"]
      let outcome = try Facecrop.run(
        ["batch", "-r", "in", "-d", "out", "--report", "report.html"] + wanted, currentDirectory: folder.path)
      #expect(outcome.status == 1)
      let manifest = try folder.manifest()
      for (input, name, count) in [("a.jpg", "a", 1), ("two.jpg", "two", 2), ("portrait.png", "portrait", 1)] {
        let entry = try #require(manifest.entries["in/\(input)"])
        #expect(entry["status"] as? String == "cropped")
        #expect((entry["warnings"] as? [String])?.first?.contains("JPEG blocks") == true)
        let outputs = try #require(entry["outputs"] as? [[String: Any]])
        #expect(outputs.map { $0["file"] as? String } == (1...count).map { "\(name)-\($0).jpg" })
        let one = try Facecrop.run(["crop", "in/\(input)", "-o", "one.jpg"] + wanted, currentDirectory: folder.path)
        #expect(one.status == 0)
        for (index, output) in outputs.enumerated() {
          let file = try folder.bytes("out/\(name)-\(index + 1).jpg")
          #expect(try file == folder.bytes("one-\(index + 1).jpg"))
          let decoded = try referenceDecode(file).pixels
          #expect(output["width"] as? Int == decoded.width && output["height"] as? Int == decoded.height)
        }
      }
      #expect(manifest.status("in/png.jpg") == "failed")
      #expect(manifest.reason("in/png.jpg").kind == "unsupported")
      #expect(manifest.reason("in/png.jpg").message.contains("JPEG"))
      #expect(!folder.has("out/png-1.jpg"))
      // A dry run predicts this, and encoding instead is another run.
      let dry = try Facecrop.run(["batch", "-r", "in", "--dry-run"] + wanted, currentDirectory: folder.path)
      #expect(
        dry.lines.count == 4 && dry.lines.contains { $0.contains("png.jpg") && $0.contains("\"kind\":\"unsupported\"") }
      )
      let again = try Facecrop.run(["batch", "-r", "in", "-d", "out"] + wanted, currentDirectory: folder.path)
      #expect(again.status == 1)
      #expect(try folder.manifest().lines.count == 4)
      let encoded = try Facecrop.run(
        ["batch", "-r", "in", "-d", "out", "--format", "jpeg"] + wanted.dropFirst(), currentDirectory: folder.path)
      #expect(encoded.status == 0)
      #expect(try folder.manifest().lines.count == 8)
    }
  }

  @Test func plansAreAppliedLosslessly() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let wanted = ["--lossless", "--preset", "portrait"]
      let direct = try Facecrop.run(
        ["batch", "in/a.jpg", "-d", "direct", "--plan-out", "plans.ndjson"] + wanted, currentDirectory: folder.path)
      let planned = try Facecrop.run(
        ["batch", "--plan-in", "plans.ndjson", "-d", "planned"] + wanted, currentDirectory: folder.path)
      #expect(direct.status == 0 && planned.status == 0)
      #expect(try folder.checksums("planned") == folder.checksums("direct"))
    }
  }

  /// A quality applies only to formats that have one; PNG outputs of PNG inputs are no fault.
  @Test func qualityOfMixedOutputs() throws {
    try TemporaryFolder.with { folder in
      try folder.write(PNGBuilder(try astronaut()).encoded(), to: "a.png")
      try folder.write(Samples.portrait(), to: "b.jpg")
      let outcome = try Facecrop.run(
        ["batch", "a.png", "b.jpg", "-d", "out", "--quality", "40", "--size", "64"], currentDirectory: folder.path)
      #expect(outcome.status == 0)
      #expect(try folder.manifest().count("cropped") == 2)
      // A single image causes a message.
      let one = try Facecrop.run("crop", "a.png", "--quality", "40", currentDirectory: folder.path)
      #expect(one.status == 0)
      #expect(one.stderr.hasPrefix("facecrop: a.png: warning: --quality") && one.stderr.contains("PNG"))
    }
  }
}
