import Foundation
import TestSupport
import Testing

/// Plans that are written, edited and applied.
@Suite struct PlanTests {
  /// A plan overwrites another plan, applicable or not, but no other file.
  @Test func plansReplaceNothingButPlans() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let run = ["crop", input, "-o", folder / "out.jpg", "--plan-out", folder / "c.json"]
      for text in ["{\"a\":1}", "{\"version\":1}\n", "[1]", "text", "{\"format\":\"facecrop-plans\",\"version\":1}\n"] {
        try folder.write(text, to: "c.json")
        let outcome = try Facecrop.run(run)
        #expect(outcome.status == 1)
        try expectSentence(outcome, about: folder / "c.json", saying: "not a plan", "--plan-out")
        #expect(try folder.text("c.json") == text)
        #expect(try folder.names() == ["c.json", "in.jpg"])
      }
      try folder.write("", to: "c.json")
      #expect(try Facecrop.run(run).status == 0)
      let plan = try folder.text("c.json")
      #expect(try Facecrop.run(run + ["--padding", "0.5"]).status == 0)
      #expect(try folder.text("c.json") != plan)
      // Another version, and a region outside of the image.
      for edited in [
        plan.replacing("\"version\":1", with: "\"version\":9"), plan.replacing("\"x\":0.", with: "\"x\":7."),
      ] {
        try folder.write(edited, to: "c.json")
        #expect(try Facecrop.run(run).status == 0)
        #expect(try folder.text("c.json") == plan)
      }
    }
  }

  /// A plan that someone edited is not replaced while it is used.
  @Test(arguments: ["crop", "avatar", "blur"]) func anAppliedPlanStays(command: String) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let plan = folder / "p.json"
      #expect(try Facecrop.run("crop", input, "-o", folder / "a.jpg", "--plan-out", plan).status == 0)
      let text = try folder.text("p.json")
      let outcome = try Facecrop.run(command, input, "-o", folder / "b.jpg", "--plan-in", plan, "--plan-out", plan)
      #expect(outcome.status == 1)
      try expectSentence(outcome, about: plan, saying: "would overwrite an input")
      #expect(try folder.text("p.json") == text && !folder.has("b.jpg"))
    }
  }

  /// The plan, the result and the report say how much of an output is filled.
  @Test func filledSharesAreTold() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let options = ["--preset", "avatar", "--face-ratio", "0.1", "--pad", "edge"]
      let run = try Facecrop.run(
        ["crop", input, "-o", folder / "out.jpg", "--json", "--plan-out", folder / "p.json"] + options)
      #expect(run.status == 0, "\(run.stderr)")
      let outputs = try #require(try jsonObject(run.lines[0])["outputs"] as? [[String: Any]])
      let share = try #require(outputs[0]["padded"] as? Double)
      #expect(share > 0.2 && share < 1)
      #expect(try jsonObject(folder.text("p.json"))["padded"] as? [Double] == [share])
      let again = try Facecrop.run(
        "crop", input, "-o", folder / "b.jpg", "--plan-in", folder / "p.json", "--pad", "edge")
      #expect(again.status == 0 && again.stderr == "")
      let batch = ["batch", input, "-d", folder / "b", "--report", folder / "r.html"]
      #expect(try Facecrop.run(batch + options).status == 0)
      #expect(try folder.text("r.html").contains("\"padded\":\(share)"))
      let limited = try Facecrop.run(
        ["crop", input, "-o", folder / "l.jpg", "--json", "--max-pad", "0.15"] + options)
      #expect(limited.status == 0 && limited.stderr.contains("times as large as requested"), "\(limited.stderr)")
      let least = try #require(try jsonObject(limited.lines[0])["outputs"] as? [[String: Any]])[0]["padded"] as? Double
      #expect((0.12...0.15).contains(try #require(least)))
      let plain = try Facecrop.run("crop", input, "-o", folder / "c.jpg", "--json", "--preset", "avatar")
      #expect(!plain.lines[0].contains("padded"))
    }
  }

  @Test func shapeIsAsPromised() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(JPEGRecipe.baseline444.encode(Samples.twoFaces()), to: "in.jpg")
      let outcome = try Facecrop.run("crop", input, "-o", folder / "out.jpg", "--plan-out", folder / "plan.json")
      #expect(outcome.status == 0 && outcome.stdout == [])
      let text = try folder.text("plan.json")
      #expect(text.hasSuffix("}\n"))
      let object = try jsonObject(text)
      #expect(keys(object) == ["version", "source", "detector", "faces", "chosen", "crops", "origin"])
      #expect(keys(object["source"]) == ["width", "height"])
      let faces = try #require(object["faces"] as? [Any])
      #expect(faces.count == 2)
      for face in faces {
        #expect(keys(face) == ["x", "y", "width", "height", "score", "landmarks", "sharpness", "head"])
      }
      let crops = try #require(object["crops"] as? [[String: Any]])
      #expect(crops.count == 1)
      for crop in crops {
        #expect(keys(crop) == ["region", "faces"])
        #expect(keys(crop["region"]) == ["x", "y", "width", "height"])
      }
      let plan = try PlanJSON(text)
      #expect(plan.version == 1 && plan.detector == "yunet")
      #expect(plan.source == PlanJSON.Size(width: 1024, height: 512))
      #expect(plan.crops.first?.faces == [0, 1])
      for face in plan.faces {
        #expect(face.x >= 0 && face.y >= 0 && face.x + face.width <= 1 && face.y + face.height <= 1)
        #expect((0...1).contains(face.score))
      }
      // Standard output gets the same bytes.
      let printed = try Facecrop.run("crop", input, "-o", folder / "out.jpg", "--plan-out", "-")
      #expect(printed.text == text)
    }
  }

  /// A stored plan gives the same file later.
  @Test(arguments: [JPEGRecipe.baseline420, .progressive, .gray])
  func storedPlanGivesTheSameBytes(recipe: JPEGRecipe) throws {
    try TemporaryFolder.with { folder in
      let exif = EXIFBuilder.tiff(orientation: 6)
      let input = try folder.write(
        recipe.with { $0.segments = [.exif(exif)] }.encode(astronaut().stored(forOrientation: 6)), to: "in.jpg")
      let first = try Facecrop.run(
        "crop", input, "-o", folder / "a.jpg", "--padding", "0.3", "--aspect", "4:5", "--plan-out", folder / "p.json")
      #expect(first.status == 0)
      let second = try Facecrop.run("crop", input, "-o", folder / "b.jpg", "--plan-in", folder / "p.json")
      #expect(second.status == 0 && second.stderr == "")
      #expect(try folder.bytes("a.jpg") == folder.bytes("b.jpg"))
      let piped = try Facecrop.run(
        "crop", input, "-o", "-", "--plan-in", "-", stdin: try folder.bytes("p.json"))
      #expect(piped.stdout == (try folder.bytes("a.jpg")))
      // An applied plan can be written again, unchanged.
      let third = try Facecrop.run(
        "crop", input, "-o", folder / "b.jpg", "--plan-in", folder / "p.json", "--plan-out", folder / "q.json")
      #expect(third.status == 0)
      #expect(try folder.bytes("q.json") == folder.bytes("p.json"))
    }
  }

  @Test func manyCropsOfOnePlanAreNumbered() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(JPEGRecipe.baseline444.encode(Samples.twoFaces()), to: "in.jpg")
      let first = try Facecrop.run(
        "crop", input, "-o", folder / "a.jpg", "--faces", "each", "--plan-out", folder / "p.json")
      #expect(first.status == 0)
      #expect(try Facecrop.run("crop", input, "-o", folder / "b.jpg", "--plan-in", folder / "p.json").status == 0)
      #expect(try folder.names() == ["a-1.jpg", "a-2.jpg", "b-1.jpg", "b-2.jpg", "in.jpg", "p.json"])
      for number in 1...2 {
        #expect(try folder.bytes("a-\(number).jpg") == folder.bytes("b-\(number).jpg"))
      }
      // Two images on one standard output would be useless.
      let joined = try Facecrop.run("crop", input, "-o", "-", "--plan-in", folder / "p.json")
      #expect(joined.status != 0)
      #expect(joined.stdout.isEmpty)
    }
  }

  @Test func editedPlanIsHonored() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      var plan = try PlanJSON(Facecrop.run("crop", input, "-o", "/dev/null", "--plan-out", "-").text)
      plan.crops = [.init(region: .init(x: 0.25, y: 0.5, width: 0.5, height: 0.125), faces: [])]
      plan.faces = []
      try folder.write(plan.encoded(), to: "plan.json")
      let outcome = try Facecrop.run("crop", input, "-o", folder / "out.jpg", "--plan-in", folder / "plan.json")
      #expect(outcome.status == 0)
      let output = try referenceDecode(folder.bytes("out.jpg")).pixels
      let expected = try astronaut().cropped(x: 128, y: 256, width: 256, height: 64)
      #expect(output.meanDifference(from: expected) < 6)
    }
  }

  @Test func planOfAnotherSizeIsRefused() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      try folder.write(
        #"{"version":1,"source":{"width":512,"height":400},"detector":"haar","faces":[],"crops":[]}"#, to: "plan.json")
      let outcome = try Facecrop.run("crop", input, "-o", folder / "out.jpg", "--plan-in", folder / "plan.json")
      #expect(outcome.status == 1)
      try expectSentence(outcome, about: input, saying: "512×400")
      #expect(outcome.stderr.contains("512×512"))
      #expect(!folder.has("out.jpg"))
    }
  }

  private static let size = #""source":{"width":512,"height":512}"#
  private static let broken: [(text: String, says: String)] = [
    ("", "plan"),
    ("{", "plan"),
    ("[]", "plan"),
    ("{}", "version"),
    (#"{"version":2,\#(size),"detector":"haar","faces":[],"crops":[]}"#, "version 2"),
    (#"{"version":"1",\#(size),"detector":"haar","faces":[],"crops":[]}"#, "plan"),
    (#"{"version":1,"detector":"haar","faces":[],"crops":[]}"#, "'source' is missing"),
    (#"{"version":1,\#(size),"detector":"haar","faces":[]}"#, "'crops' is missing"),
    (#"{"version":1,"source":{"width":0,"height":512},"detector":"haar","faces":[],"crops":[]}"#, "size"),
    (
      #"{"version":1,\#(size),"detector":"haar","faces":[{"x":0,"y":0,"width":2,"height":1,"score":1}],"crops":[]}"#,
      "faces[0] lies outside"
    ),
    (
      #"{"version":1,\#(size),"detector":"haar","faces":[],"crops":[{"region":{"x":0.5,"y":0,"width":0.6,"height":1},"faces":[]}]}"#,
      "region lies outside"
    ),
    (
      #"{"version":1,\#(size),"detector":"haar","faces":[],"crops":[{"region":{"x":0,"y":0,"width":-1,"height":1},"faces":[]}]}"#,
      "region lies outside"
    ),
    (
      #"{"version":1,\#(size),"detector":"haar","faces":[],"crops":[{"region":{"x":0,"y":0,"width":1e999,"height":1},"faces":[]}]}"#,
      "plan"
    ),
    (
      #"{"version":1,\#(size),"detector":"haar","faces":[],"crops":[{"region":{"x":0,"y":0,"width":1,"height":1},"faces":[0]}]}"#,
      "shows face 0"
    ),
  ]

  @Test(arguments: broken)
  func brokenPlanIsRefused(text: String, says: String) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let plan = try folder.write(text, to: "plan.json")
      let outcome = try Facecrop.run("crop", input, "-o", folder / "out.jpg", "--plan-in", plan)
      #expect(outcome.status == 1)
      try expectSentence(outcome, about: plan, saying: says)
      #expect(!folder.has("out.jpg"))
    }
  }

  /// Plans have their own limit, separate from that of images.
  @Test func hugePlansAreRefused() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        "truncate -s 65M plan.json; facecrop crop a.jpg -o b.jpg --plan-in plan.json", currentDirectory: folder.path)
      #expect(outcome.status == 1)
      try expectSentence(outcome, about: "plan.json", values: ["16 MiB"])
      #expect(!outcome.stderr.contains("--max-file-size"))
    }
  }

  @Test func missingPlanIsNamed() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run("crop", input, "--plan-in", folder / "none.json")
      #expect(outcome.status == 1)
      try expectSentence(outcome, about: folder / "none.json", saying: "No such file")
      #expect(try folder.names() == ["in.jpg"])
    }
  }
}

/// Expects one line on standard error: the program, the file, and a message with these values.
func expectSentence(
  _ outcome: Facecrop.Outcome, about file: String, saying parts: String..., values: [String] = [],
  at location: SourceLocation = #_sourceLocation
) throws {
  #expect(outcome.errorLines.count == 1, "\(outcome.stderr)", sourceLocation: location)
  #expect(outcome.stderr.hasPrefix("facecrop: \(file): "), "\(outcome.stderr)", sourceLocation: location)
  let message = outcome.stderr.dropFirst("facecrop: \(file): ".count)
  #expect(!message.contains("facecrop: "), "\(outcome.stderr)", sourceLocation: location)
  for part in parts + values { #expect(message.contains(part), "\(outcome.stderr)", sourceLocation: location) }
  #expect(outcome.stdout == [], sourceLocation: location)
}
