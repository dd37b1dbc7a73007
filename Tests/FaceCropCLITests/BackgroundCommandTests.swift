import Foundation
import TestSupport
import Testing

/// `--background-fill` in every command that writes crops.
@Suite struct BackgroundCommandTests {
  private static let options = ["--preset", "portrait", "--size", "x200", "--upscale"]

  private func corner(_ folder: TemporaryFolder, _ name: String) throws -> [Int] {
    let bytes = try folder.bytes(name)
    let pixels = try name.hasSuffix("png") ? referenceDecodePNG(bytes) : referenceDecode(bytes).pixels
    return pixels[2, 2].map(Int.init)
  }

  @Test func aColorIsBehindThePerson() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let run = try Facecrop.run(
        ["avatar", input, "-o", folder / "a.jpg", "--background-fill", "3366ff", "--json"] + Self.options)
      #expect(run.status == 0)
      #expect(zip(try corner(folder, "a.jpg"), [0x33, 0x66, 0xFF]).allSatisfy { abs($0 - $1) <= 4 })
      let outputs = try #require(jsonObject(run.lines[0])["outputs"] as? [[String: Any]])
      // A shoulder is unsure.
      #expect(outputs[0]["cutout"] as? Double == 0.7)
      #expect(run.stderr.contains("with a confidence of 0.7"), "\(run.stderr)")
    }
  }

  /// The document of the preset gives the color.
  @Test func theDocumentHasAColor() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let fill = ["--background-fill", "required"]
      func isGray(_ name: String) throws -> Bool {
        try corner(folder, name).prefix(3).allSatisfy { abs($0 - 0xD3) <= 4 }
      }
      let run = try Facecrop.run(["avatar", input, "-o", folder / "a.jpg", "--preset", "id:fr"] + fill)
      #expect(run.status == 0, "\(run.stderr)")
      #expect(try isGray("a.jpg"))
      for (preset, passes) in [("id:fr", true), ("visa:us", false)] {
        let check = try Facecrop.run("check", "--json", folder / "a.jpg", "--preset", preset)
        let rules = try #require(jsonObject(check.lines[0])["checks"] as? [[String: Any]])
        let rule = rules.first { $0["name"] as? String == "background-color" }
        #expect(rule?["passes"] as? Bool == passes, "\(preset): \(check.lines)")
      }
      // A ratio turns the rules about the head off, and keeps the document.
      let crop = ["crop", input, "-o", folder / "b.jpg", "--preset", "id:fr", "--face-ratio", "0.4"]
      #expect(try Facecrop.run(crop + fill).status == 0)
      #expect(try isGray("b.jpg"))
      let batch = ["batch", "in.jpg", "-d", "out", "--preset", "id:fr"]
      #expect(try Facecrop.run(batch + fill, currentDirectory: folder.path).status == 0)
      #expect(try isGray("out/in.jpg"))
      let lines = [
        #"{"id":1,"input":"in.jpg","output":"d.png","preset":"id:fr","background-fill":"required"}"#,
        #"{"id":2,"input":"in.jpg","output":"e.png","preset":"avatar","background-fill":"required"}"#,
      ]
      let worker = try Facecrop.run(
        ["batch", "--worker", "--jobs", "1"], stdin: Array(lines.map { $0 + "\n" }.joined().utf8),
        currentDirectory: folder.path)
      #expect(try isGray("d.png"))
      #expect(worker.lines.contains { $0.contains("passport:us") } && !folder.has("e.png"))
      // As a worker's default, it is for requests with such a preset.
      let requests = [
        #"{"id":1,"input":"in.jpg","output":"f.png","preset":"id:fr"}"#,
        #"{"id":2,"input":"in.jpg","output":"g.png"}"#,
        #"{"id":3,"input":"in.jpg","output":"h.png","background-fill":"white"}"#,
      ]
      let usual = try Facecrop.run(
        ["batch", "--worker", "--jobs", "1"] + fill, stdin: Array(requests.map { $0 + "\n" }.joined().utf8),
        currentDirectory: folder.path)
      #expect(usual.status == 0 && folder.has("h.png"), "\(usual.stderr)")
      #expect(try isGray("f.png"))
      #expect(usual.lines.contains { $0.contains("passport:us") } && !folder.has("g.png"))
    }
  }

  /// An image behind the person is read within the limits, and never overwritten.
  @Test func anImageIsBehindThePerson() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let wall = try folder.write(
        PNGBuilder(Pixels(width: 90, height: 80, color: [0, 200, 0])).encoded(), to: "wall.png")
      #expect(
        try Facecrop.run(["avatar", input, "-o", folder / "a.jpg", "--background-fill", wall] + Self.options).status
          == 0)
      #expect(zip(try corner(folder, "a.jpg"), [0, 200, 0]).allSatisfy { abs($0 - $1) <= 4 })
      let before = try folder.bytes("wall.png")
      let onto = try Facecrop.run(["avatar", input, "-o", wall, "--background-fill", wall] + Self.options)
      #expect(onto.status != 0)
      #expect(try folder.bytes("wall.png") == before)
      let text = try folder.write("text", to: "text.png")
      for (file, reason) in [(text, "background image"), (folder / "none.png", "none.png")] {
        let failed = try Facecrop.run(
          ["avatar", input, "-o", folder / "b.jpg", "--background-fill", file] + Self.options)
        #expect(failed.status == 1 && failed.stderr.contains(reason) && failed.stderr.contains(file))
      }
      #expect(!folder.has("b.jpg"))
    }
  }

  /// A batch makes outputs again if the background, or the content of its file, changed.
  @Test func aBatchKnowsItsBackground() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      func wall(_ color: [UInt8]) throws {
        try folder.write(PNGBuilder(Pixels(width: 90, height: 80, color: color)).encoded(), to: "wall.png")
      }
      func batch(_ fill: String) throws -> [Int] {
        let run = try Facecrop.run(
          ["batch", "in.jpg", "-d", "out", "--background-fill", fill] + Self.options, currentDirectory: folder.path)
        #expect(run.status == 0)
        return try corner(folder, "out/in.jpg")
      }
      #expect(try batch("white").allSatisfy { $0 > 250 })
      try wall([0, 200, 0])
      #expect(try batch("wall.png")[1] > 190)
      try wall([200, 0, 0])
      #expect(try batch("wall.png")[0] > 190)
    }
  }

  /// A plan for a cut-out has all faces, as the cut-out itself would find them.
  @Test func aPlanForItHasTheNeighbors() throws {
    try TemporaryFolder.with { folder in
      let picture = try Pixels(width: 640, height: 480, color: [90, 90, 90])
        .covered(by: astronaut().resizedBilinear(width: 400, height: 400), at: (0, 0))
        .covered(by: astronaut().resizedBilinear(width: 110, height: 110), at: (400, 0))
      try folder.write(JPEGRecipe.baseline444.encode(picture), to: "in.jpg")
      func isComplete(_ options: [String]) throws -> Bool {
        let run = try Facecrop.run(
          ["batch", "in.jpg", "-d", "out", "--preset", "avatar", "--dry-run", "--plan-out", "plans.ndjson"] + options,
          currentDirectory: folder.path)
        #expect(run.status == 0)
        return try !folder.text("plans.ndjson").contains(#""facesAreComplete":false"#)
      }
      #expect(try !isComplete([]))
      #expect(try isComplete(["--background-fill", "white"]))
    }
  }

  @Test func aWorkerHasIt() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      let line =
        #"{"id":1,"input":"in.jpg","output":"1.png","preset":"portrait","background-fill":"white","keep-people":true}"#
      let missing = #"{"id":2,"input":"in.jpg","output":"2.png","background-fill":"none.png"}"#
      let run = try Facecrop.run(
        ["batch", "--worker", "--jobs", "1"], stdin: Array("\(line)\n\(missing)\n".utf8), currentDirectory: folder.path)
      #expect(run.status == 0)
      let answers = try run.lines.map { try jsonObject($0) }
      #expect(answers.count { $0["status"] as? String == "cropped" } == 1)
      let failed = try #require(answers.first { $0["status"] as? String == "failed" })
      #expect("\(failed)".contains("none.png"))
      let found = try corner(folder, "1.png")
      #expect(found.allSatisfy { $0 == 255 }, "\(found)")
    }
  }

  @Test func aSheetHasIt() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let run = try Facecrop.run(
        "sheet", input, "-o", folder / "s.png", "--dpi", "100", "--copies", "1", "--background-fill", "00ff00")
      #expect(run.status == 0)
      let pixels = try referenceDecodePNG(folder.bytes("s.png"))
      let green = stride(from: 0, to: pixels.samples.count, by: 3).count {
        Array(pixels.samples[$0..<$0 + 3]) == [0, 255, 0]
      }
      #expect(green > 500)
    }
  }

  /// An unsure cut-out is a warning, or fails with status 2 before anything is written.
  @Test func anUnsureCutoutIsAWarningOrFails() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(PNGBuilder(Pixels.noise(width: 200, height: 200)).encoded(), to: "in.png")
      let arguments = ["crop", input, "-o", folder / "a.png", "--background-fill", "white"]
      let run = try Facecrop.run(arguments)
      #expect(run.status == 0 && run.stderr.contains("cut out") && folder.has("a.png"))
      let failed = try Facecrop.run(
        arguments.map { $0.hasSuffix("a.png") ? folder / "b.png" : $0 } + ["--fail-if-unsure"])
      #expect(failed.status == 2 && failed.stderr.contains("cut out") && !folder.has("b.png"))
    }
  }
}
