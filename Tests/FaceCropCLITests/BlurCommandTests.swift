import Foundation
import TestSupport
import Testing

/// `facecrop blur`, from its arguments to its files.
@Suite struct BlurCommandTests {
  @Test func oneFaceIsHidden() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run("blur", input)
      #expect(outcome.status == 0 && outcome.stderr == "")
      #expect(outcome.text == "\(folder / "in-blur.jpg"): 1 face hidden\n")
      #expect(try folder.names() == ["in-blur.jpg", "in.jpg"])
      let found = try jsonObject(Facecrop.run("detect", folder / "in-blur.jpg").lines[0])
      #expect((found["faces"] as? [Any])?.isEmpty == true)
      #expect(try folder.bytes("in.jpg") == Samples.portrait())
    }
  }

  @Test func jsonHasTheNumbers() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run("blur", input, "-o", folder / "out.jpg", "--json", "--except", "1")
      #expect(outcome.status == 2)
      let line = try jsonObject(outcome.lines[0])
      #expect(line["hidden"] as? Int == 0 && line["lossless"] as? Bool == true)
      let faces = try #require(line["faces"] as? [[String: Any]])
      #expect(faces[0]["number"] as? Int == 1 && faces[0]["hidden"] as? Bool == false && faces[0]["score"] != nil)
      #expect((line["warnings"] as? [Any]) != nil && line["output"] as? String == folder / "out.jpg")
    }
  }

  /// A program that publishes images after status 0 must not publish faces.
  @Test(
    arguments: [
      ([], "wall.jpg", "no-face"), (["--min-face", "90%"], "in.jpg", "not-hidden"),
      (["--faces", "2"], "in.jpg", "not-hidden"),
      (["--faces", "1,2"], "in.jpg", "face-number"), (["--except", "1"], "in.jpg", "not-hidden"),
      (["--faces", "1", "--min-face", "90%"], "in.jpg", "not-hidden"),
      (["--plan-in", "none.json"], "in.jpg", "not-hidden"),
    ] as [([String], String, String)])
  func facesThatStayVisibleAreTold(options: [String], input: String, kind: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      try folder.write(Samples.faceless(), to: "wall.jpg")
      try folder.write(
        #"{"version":1,"source":{"width":512,"height":512},"detector":"","faces":[],"crops":[]}"#, to: "none.json")
      let outcome = try Facecrop.run(
        ["blur", input, "-o", "out.jpg", "--json"] + options, currentDirectory: folder.path)
      #expect(outcome.status == 2, "\(outcome.stderr)")
      let warnings = try jsonObject(outcome.lines[0])["warnings"] as? [[String: String]]
      #expect(warnings?.contains { $0["kind"] == kind } == true, "\(outcome.text)")
      #expect(warnings?.allSatisfy { outcome.stderr.contains($0["message"] ?? "?") } == true)
    }
  }

  /// A rectangle drawn by hand needs a region only.
  @Test func aRegionAloneIsHidden() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      try folder.write(
        #"{"version":1,"source":{"width":512,"height":512},"detector":"","faces":[],"crops":[{"region":{"x":0,"y":0,"width":1,"height":1}}]}"#,
        to: "hand.json")
      let outcome = try Facecrop.run(
        "blur", "in.jpg", "-o", "out.jpg", "--plan-in", "hand.json", "--mode", "solid", currentDirectory: folder.path)
      #expect(outcome.status == 0 && outcome.text.contains("1 face hidden"), "\(outcome.stderr)")
    }
  }

  /// A stored plan has the warning of its search, with a remedy for a plan.
  @Test func doubtsOfAPlanAreTold() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      let area = #""x":0.35,"y":0.12,"width":0.18,"height":0.22"#
      try folder.write(
        """
        {"version":1,"source":{"width":512,"height":512},"detector":"yunet","faces":[{\(area),"score":0.5}],
        "crops":[{"region":{\(area)},"faces":[0]}]}
        """, to: "plan.json")
      let outcome = try Facecrop.run(
        "blur", "in.jpg", "-o", "out.jpg", "--json", "--plan-in", "plan.json", currentDirectory: folder.path)
      #expect(outcome.status == 0, "\(outcome.stderr)")
      let warnings = try #require(jsonObject(outcome.lines[0])["warnings"] as? [[String: String]])
      #expect(warnings.map { $0["kind"] } == ["doubtful"])
      #expect(warnings[0]["message"]?.contains("may be none (check it, or remove its crop from the plan") == true)
    }
  }

  /// Standard input to standard output.
  @Test func pipesWork() throws {
    let outcome = try Facecrop.run("blur", "-", stdin: try Samples.portrait())
    #expect(outcome.status == 0 && outcome.stdout.starts(with: [0xFF, 0xD8, 0xFF]))
    let found = try jsonObject(Facecrop.run("detect", "-", stdin: outcome.stdout).lines[0])
    #expect((found["faces"] as? [Any])?.isEmpty == true)
  }

  @Test func plansGoOutAndIn() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let first = try Facecrop.run("blur", input, "-o", folder / "a.jpg", "--plan-out", folder / "plan.json")
      #expect(first.status == 0)
      let second = try Facecrop.run("blur", input, "-o", folder / "b.jpg", "--plan-in", folder / "plan.json")
      #expect(second.status == 0)
      let isSame = try folder.bytes("a.jpg") == folder.bytes("b.jpg")
      #expect(isSame)
    }
  }

  @Test func severalImagesAreIndependent() throws {
    try TemporaryFolder.with { folder in
      let good = try folder.write(Samples.portrait(), to: "a.jpg")
      let bad = try folder.write(Array("no image".utf8), to: "b.jpg")
      let faceless = try folder.write(Samples.faceless(), to: "c.jpg")
      let outcome = try Facecrop.run("blur", good, bad, faceless, "--json")
      #expect(outcome.status == 1 && outcome.lines.count == 3)
      #expect(outcome.stderr.contains("b.jpg") && outcome.stderr.contains("no face was found"))
      #expect(try folder.names() == ["a-blur.jpg", "a.jpg", "b.jpg", "c-blur.jpg", "c.jpg"])
    }
  }

  /// A name says who a hidden face is. Titles stay.
  @Test(arguments: [[], ["--quality", "50"]]) func namesOfPeopleAreDropped(options: [String]) throws {
    try TemporaryFolder.with { folder in
      let packet = CreditBuilder.packet(
        attributes: "xmlns:e=\"http://iptc.org/std/Iptc4xmpExt/2008-02-29/\"",
        properties: """
          <dc:title>At the beach</dc:title>
          <e:PersonInImage><rdf:Bag><rdf:li>Ben Smith</rdf:li></rdf:Bag></e:PersonInImage>
          """)
      let image = try JPEGRecipe.baseline420.with { $0.segments = [CreditBuilder.segment(xmp: packet)] }
        .encode(astronaut())
      let input = try folder.write(image, to: "in.jpg")
      #expect(try Facecrop.run(["blur", input, "-o", folder / "out.jpg"] + options).status == 0)
      let bytes = try folder.bytes("out.jpg")
      #expect(bytes.holds(Array("At the beach".utf8)) && !bytes.holds(Array("Ben Smith".utf8)))
    }
  }

  /// No output replaces an input, under any name.
  @Test func inputsAreProtected() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let other = try folder.write(Samples.portrait(), to: "in-blur.jpg")
      #expect(try Facecrop.run("blur", input, "-o", input).status == 1)
      // The second input has the name of the first output.
      #expect(try Facecrop.run("blur", input, other).status == 1)
      #expect(try folder.bytes("in.jpg") == Samples.portrait() && folder.bytes("in-blur.jpg") == Samples.portrait())
      #expect(try Facecrop.run("blur", input, "--no-clobber").status == 1)
    }
  }

  // MARK: Images over faces

  @Test func facesGetTheImage() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      let mask = PNGBuilder(Pixels(width: 40, height: 30, color: [0, 255, 0, 255])).encoded()
      try folder.write(mask, to: "mask.png")
      func run(_ more: String...) throws -> Facecrop.Outcome {
        try Facecrop.run(
          ["blur", "in.jpg", "--mode", "image", "--image", "mask.png"] + more, currentDirectory: folder.path)
      }
      let outcome = try run("-o", "out.jpg", "--json")
      #expect(outcome.status == 0 && outcome.stderr == "")
      let line = try jsonObject(outcome.lines[0])
      #expect(line["hidden"] as? Int == 1 && line["lossless"] as? Bool == true)
      let found = try jsonObject(Facecrop.run("detect", "out.jpg", currentDirectory: folder.path).lines[0])
      #expect((found["faces"] as? [Any])?.isEmpty == true)
      // The image is an input, which no output replaces.
      let replacing = try run("-o", "mask.png")
      #expect(try replacing.status == 1 && folder.bytes("mask.png") == mask, "\(replacing.stderr)")
    }
  }

  /// The message names the file or the option, the fault, and the remedy.
  @Test(
    arguments: [
      (["--mode", "image"], 64, "the mode image has no image (add --image mask.png)"),
      (["--image", "mask.png"], 64, "--image works with --mode image only (add --mode image, or leave it out)"),
      (
        ["--image", "mask.png", "--mode", "solid"], 64,
        "--image works with --mode image only (add --mode image, or leave it out)"
      ),
      (["--mode", "image", "--image", "none.png"], 1, "none.png: "),
      (["--mode", "image", "--image", "text.png"], 1, "text.png: "),
      (["--mode", "image", "--image", "."], 1, "it is a folder"),
      // --allow-truncated is for photos.
      (["--mode", "image", "--image", "half.jpg"], 1, " rows can be read (pass another image with --image)"),
      (
        ["--mode", "image", "--image", "empty.png", "--allow-truncated"], 1,
        "facecrop: empty.png: the image is damaged: the file is empty (pass another image with --image)"
      ),
    ] as [([String], CInt, String)])
  func faultsOfTheImageAreNamed(options: [String], status: CInt, fault: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      try folder.write(Array("no image".utf8), to: "text.png")
      try folder.write(Samples.portrait().dropLast(20_000), to: "half.jpg")
      try folder.write([], to: "empty.png")
      let outcome = try Facecrop.run(["blur", "in.jpg"] + options, currentDirectory: folder.path)
      #expect(outcome.status == status && outcome.stderr.contains(fault), "\(outcome.stderr)")
      #expect(!folder.has("in-blur.jpg"))
    }
  }

  @Test(arguments: [
    ["a.jpg", "--faces", "1", "--except", "2"], ["a.jpg", "--faces", "0"], ["a.jpg", "--margin", "3"],
    ["a.jpg", "b.jpg", "-o", "c.jpg"], ["a.jpg", "-o", "x.png", "--format", "jpeg"], ["a.jpg", "-o", "folder/"],
    ["a.jpg", "--keep-location", "--metadata", "strip"], ["a.jpg", "--plan-in", "p.json", "--faces", "1"],
    ["-", "--json"],
    ["a.jpg", "-o", "x.heic"],
  ])
  func wrongUsageIsRefused(arguments: [String]) throws {
    #expect(try Facecrop.run(["blur"] + arguments).status == 64)
  }

  @Test func qualityEncodesAgain() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run("blur", input, "--quality", "30", "--json")
      #expect(try jsonObject(outcome.lines[0])["lossless"] as? Bool == false)
      let webp = try Facecrop.run("blur", input, "-o", folder / "out.webp")
      #expect(webp.status == 0)
      #expect(try folder.bytes("out.webp").starts(with: Array("RIFF".utf8)))
    }
  }
}
