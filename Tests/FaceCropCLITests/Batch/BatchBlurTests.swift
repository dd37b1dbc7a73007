import FaceCrop
import Foundation
import TestSupport
import Testing

@testable import FaceCropCLI

/// `batch --blur`: whole images with hidden faces, equal to those of `facecrop blur`.
@Suite struct BatchBlurTests {
  private func prepare(_ folder: TemporaryFolder) throws {
    try Facecrop.prepare("mkdir in", in: folder)
    try folder.write(Samples.portrait(), to: "in/a.jpg")
    try folder.write(JPEGRecipe.progressive.encode(Samples.twoFaces()), to: "in/two.jpg")
    try folder.write(PNGBuilder(try astronaut()).encoded(), to: "in/png.png")
    // Named like a JPEG file.
    try folder.write(PNGBuilder(try astronaut()).encoded(), to: "in/named.jpg")
    try folder.write(Samples.faceless(), to: "in/wall.jpg")
    try writeMask([0, 255, 0, 255], in: folder)
  }

  /// Writes an image that lies over faces.
  private func writeMask(_ color: [UInt8], in folder: TemporaryFolder) throws {
    try folder.write(PNGBuilder(Pixels(width: 8, height: 8, color: color)).encoded(), to: "mask.png")
  }

  private func run(_ folder: TemporaryFolder, _ more: [String] = [], out: String = "out") throws -> Facecrop.Outcome {
    try Facecrop.run(["batch", "-r", "in", "-d", out, "--blur"] + more, currentDirectory: folder.path)
  }

  @Test(
    arguments: [
      [], ["--blur-mode", "solid", "--blur-shape", "head", "--blur-margin", "0.5"],
      ["--quality", "70", "--format", "jpeg"], ["--blur-mode", "image", "--blur-image", "mask.png"],
      ["--metadata", "strip"], ["--format", "webp"],
    ] as [[String]])
  func filesAreThoseOfBlur(options: [String]) throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try run(folder, options)
      #expect(outcome.status == 0, "\(outcome.stderr)")
      #expect(outcome.stderr.contains("hidden ") && outcome.stderr.contains("no face "))
      let manifest = try folder.manifest()
      #expect(manifest.entries.count == 5)
      let alone = options.map { $0.replacing("--blur-", with: "--") }
      for (input, faces) in [("a.jpg", 1), ("two.jpg", 2), ("png.png", 1), ("named.jpg", 1), ("wall.jpg", 0)] {
        let entry = try #require(manifest.entries["in/\(input)"])
        #expect(entry["status"] as? String == (faces == 0 ? "no-face" : "cropped"))
        #expect((entry["crops"] as? [Any])?.count == faces)
        let outputs = try #require(entry["outputs"] as? [[String: Any]])
        #expect(outputs.count == 1 && outputs[0]["crop"] == nil)
        let name = try #require(outputs[0]["file"] as? String)
        let one = try Facecrop.run(["blur", "in/\(input)", "-o", "one-\(name)"] + alone, currentDirectory: folder.path)
        #expect(one.status == (faces == 0 ? 2 : 0))
        #expect(try folder.bytes("out/\(name)") == folder.bytes("one-\(name)"))
      }
    }
  }

  /// A run continues where it ended, and other options make the outputs again.
  @Test func optionsAreRemembered() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      #expect(try run(folder).status == 0)
      let lines = try folder.manifest().lines.count
      #expect(try run(folder).status == 0)
      #expect(try folder.manifest().lines.count == lines)
      #expect(try run(folder, ["--blur-mode", "pixelate"]).status == 0)
      #expect(try folder.manifest().lines.count == 2 * lines)
      #expect(try run(folder, ["--blur-mode", "pixelate", "--keep-location"]).status == 0)
      #expect(try folder.manifest().lines.count == 3 * lines)
    }
  }

  /// An image with other content makes the outputs again, even under the same name.
  @Test func anotherImageMakesTheOutputsAgain() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let options = ["--blur-mode", "image", "--blur-image", "mask.png"]
      #expect(try run(folder, options).status == 0)
      let (lines, first) = (try folder.manifest().lines.count, try folder.bytes("out/a.jpg"))
      #expect(try run(folder, options).status == 0)
      #expect(try folder.manifest().lines.count == lines)
      try writeMask([0, 0, 255, 255], in: folder)
      #expect(try run(folder, options).status == 0)
      #expect(try folder.manifest().lines.count == 2 * lines)
      let isSame = try folder.bytes("out/a.jpg") == first
      #expect(!isSame)
      for (options, status, fault) in [
        (["--blur-mode", "image"], 64, "the mode image has no image (add --blur-image mask.png)"),
        (
          ["--blur-image", "mask.png"], 64, "--blur-image works with --blur-mode image only (add --blur-mode image, or"
        ),
        (["--blur-mode", "image", "--blur-image", "in/wall.txt"], 1, "in/wall.txt: "),
      ] as [([String], CInt, String)] {
        let outcome = try run(folder, options, out: "other")
        #expect(outcome.status == status && outcome.stderr.contains(fault), "\(outcome.stderr)")
      }
      #expect(!folder.has("other/a.jpg"))
    }
  }

  /// Areas that a user changed replace those of the search, and stay in later runs.
  @Test func correctedAreasStay() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      #expect(try run(folder, ["--plan-out", "plans.ndjson"]).status == 0)
      let entry = try #require(folder.manifest().entries["in/two.jpg"])
      let crops = try #require(entry["crops"] as? [[String: Any]])
      let plan: [String: Any] = [
        "version": 1, "source": ["width": try #require(entry["width"]), "height": try #require(entry["height"])],
        "detector": "yunet", "faces": try #require(entry["faces"]), "crops": [crops[0]],
      ]
      let line = try JSONSerialization.data(withJSONObject: ["input": "in/two.jpg", "plan": plan])
      try folder.write(
        "{\"format\":\"facecrop-plans\",\"version\":1}\n" + String(decoding: line, as: UTF8.self) + "\n",
        to: "plans.ndjson")
      let corrected = try run(folder, ["--plan-in", "plans.ndjson"])
      #expect(corrected.status == 0 && !corrected.stderr.contains("earlier runs"), "\(corrected.stderr)")
      let found = try jsonObject(
        Facecrop.run("detect", "out/two.jpg", currentDirectory: folder.path).lines[0])
      #expect((found["faces"] as? [Any])?.count == 1)
      #expect(try run(folder, ["--blur-mode", "solid"]).status == 0)
      #expect((try folder.manifest().entries["in/two.jpg"]?["crops"] as? [Any])?.count == 1)
    }
  }

  /// A plan without areas is a decision, and the image is still written.
  @Test func nothingToHideIsWritten() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      try folder.write(
        """
        {"format":"facecrop-plans","version":1}
        {"input":"in/a.jpg","plan":{"version":1,"source":{"width":512,"height":512},"detector":"","faces":[],"crops":[]}}

        """, to: "plans.ndjson")
      let outcome = try run(folder, ["--plan-in", "plans.ndjson"])
      #expect(outcome.status == 0, "\(outcome.stderr)")
      let entry = try #require(folder.manifest().entries["in/a.jpg"])
      #expect(entry["status"] as? String == "no-face" && entry["warningKinds"] == nil)
      #expect(folder.has("out/a.jpg"))
    }
  }

  /// A person who has corrected an image knows its areas, so nothing is doubtful any more.
  @Test func correctedAreasAreNotDoubtful() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      try folder.write(Samples.portrait(), to: "in/a.jpg")
      let area = #""x":0.35,"y":0.12,"width":0.18,"height":0.22"#
      try folder.write(
        """
        {"format":"facecrop-plans","version":1}
        {"input":"in/a.jpg","plan":{"version":1,"source":{"width":512,"height":512},"detector":"yunet",\
        "faces":[{\(area),"score":0.5}],"crops":[{"region":{\(area)},"faces":[0]}]}}

        """, to: "plans.ndjson")
      let outcome = try run(folder, ["--plan-in", "plans.ndjson"])
      #expect(outcome.status == 0, "\(outcome.stderr)")
      let entry = try #require(folder.manifest().entries["in/a.jpg"])
      #expect(entry["status"] as? String == "cropped" && entry["warningKinds"] == nil)
    }
  }

  /// A list of found plans counts images as the search does, in that run and in later ones.
  @Test func nothingHiddenCountsAsNoFace() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      try folder.write(Samples.faceless(), to: "in/wall.jpg")
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch in/wall.jpg --blur --progress none --json "$@"; }
        { run -d a --plan-out b.ndjson; run -d c --plan-in b.ndjson; run -d c --blur-mode solid; run -d c --blur-mode solid
        } | grep -o '"cropped":.\\|"noFace":.'
        """, currentDirectory: folder.path)
      let counts = ["\"cropped\":0", "\"noFace\":1"]
      #expect(outcome.lines == Array(repeating: counts, count: 4).flatMap { $0 }, "\(outcome.stderr)")
    }
  }

  /// Published images stay without faces when somebody forgets `--blur`, and also for another image of the same name.
  @Test(arguments: ["", "--no-resume", "--preset avatar --format jpeg"])
  func outputsThatHideFacesStay(options: String) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      try folder.write(Samples.portrait(), to: "in/a.jpg")
      try folder.write(Samples.faceless(), to: "in/wall.jpg")
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch -r in -d pub --json "$@" | grep -o '"kept":.'; }
        run --blur; cp pub/a.jpg mine
        run \(options); cmp pub/a.jpg mine; run \(options); cmp pub/a.jpg mine
        run --blur; cmp pub/a.jpg mine; run --blur --blur-mode solid; cmp -s pub/a.jpg mine || echo made; cp pub/a.jpg mine
        run \(options); cmp pub/a.jpg mine; run \(options) --overwrite; cmp -s pub/a.jpg mine || echo made
        """, currentDirectory: folder.path)
      #expect(
        outcome.lines.map { $0.replacing("\"kept\":", with: "") }
          == ["0", "1", "1", "0", "0", "made", "1", "0", "made"],
        "\(outcome.stderr)")
      let named = outcome.errorLines.filter { $0.hasPrefix("facecrop: pub/a.jpg: warning: the file hides faces") }
      #expect(named.count == 3 && named[0].contains("-d") && named[0].contains("--overwrite"), "\(outcome.stderr)")
      #expect(outcome.errorLines.count { $0.hasPrefix("kept      1 file that hides faces") } == 3, "\(outcome.stderr)")
    }
  }

  /// Another image of the same name fails, because the output is not its own.
  @Test func hiddenFacesOfAnotherImageStay() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in other", in: folder)
      try folder.write(Samples.portrait(), to: "in/a.jpg")
      try folder.write(Samples.portrait() + [1], to: "other/a.jpg")
      let outcome = try Facecrop.bash(
        """
        "$FACECROP" batch -r in -d pub --blur; cp pub/a.jpg mine
        "$FACECROP" batch -r other -d pub; echo $?; cmp pub/a.jpg mine
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["1"], "\(outcome.stderr)")
      #expect(try folder.manifest("pub/manifest.ndjson").reason("other/a.jpg").kind == "taken")
    }
  }

  /// A dry run prints the faces to hide, and one output for each image.
  @Test func dryRunsListOneOutput() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let dry = try Facecrop.run("batch", "-r", "in", "--dry-run", "--blur", currentDirectory: folder.path)
      #expect(dry.status == 0 && dry.lines.count == 5)
      let two = try jsonObject(try #require(dry.lines.first { $0.contains("two.jpg") }))
      #expect((two["crops"] as? [Any])?.count == 2)
      #expect((two["outputs"] as? [[String: Any]])?.map { $0["file"] as? String } == ["two.jpg"])
    }
  }

  /// The report offers an area for each face, and one for an image without any.
  @Test func reportsOfferAreas() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      #expect(try run(folder, ["--report", "report.html"]).status == 0)
      let page = try String(decoding: folder.bytes("report.html"), as: UTF8.self)
      #expect(page.contains("\"hides\":true"))
      let lines = page.split(separator: "\n").filter { $0.hasPrefix("{") }.map { line in
        line.hasSuffix(",") ? line.dropLast() : line
      }
      let two = try jsonObject(String(try #require(lines.first { $0.contains("two.jpg") && $0.contains("choices") })))
      let choices = try #require(two["choices"] as? [[String: Any]])
      #expect(choices.count == 2)
      #expect(
        try JSONSerialization.data(withJSONObject: choices, options: .sortedKeys)
          == JSONSerialization.data(withJSONObject: try #require(two["crops"]), options: .sortedKeys))
      let wall = try jsonObject(String(try #require(lines.first { $0.contains("wall.jpg") && $0.contains("middle") })))
      #expect((wall["crops"] as? [Any])?.isEmpty == true)
    }
  }

  @Test(
    arguments: [
      (["--blur", "--size", "512"], "--size"), (["--blur", "--preset", "avatar"], "--preset"),
      (["--blur", "--lossless"], "--lossless"), (["--blur-mode", "solid"], "--blur-mode"),
      (["--keep-location"], "--keep-location"), (["--blur", "--blur-margin", "3"], "--blur-margin"),
      (["--blur", "--no-face-dir", "none"], "--no-face-dir"), (["--blur", "--faces", "each"], "--faces"),
      (["--blur", "--keep-location", "--metadata", "strip"], "--keep-location"),
      (["--blur", "--sidecar"], "leave out --sidecar"),
    ] as [([String], String)])
  func unfitOptionsAreRefused(options: [String], word: String) throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.run(["batch", "-r", "in", "-d", "out"] + options, currentDirectory: folder.path)
      #expect(outcome.status == 64 && outcome.stderr.contains(word), "\(outcome.stderr)")
      #expect(!folder.has("out"))
    }
  }

  /// Areas depend on the margin and the smallest face, and not on the look.
  @Test func correctionsFollowTheAreas() throws {
    func key(_ change: (inout BlurRequest) -> Void) -> String {
      var request = BlurRequest()
      change(&request)
      return Fingerprint.area(of: request)
    }
    let plain = key { _ in }
    #expect(
      key { $0.mode = .solid } == plain && key { $0.shape = .head } == plain && key { $0.metadata = .strip } == plain)
    #expect(key { $0.margin = 0.2 } != plain && key { $0.smallestFace = .pixels(9) } != plain)
    #expect(plain != Fingerprint.frame(of: CropRequest()))
    // A correction that hides one person shows another one.
    let areas = try [[], ["--hide", "Ann"], ["--hide", "Ben"], ["--show", "Ann"]].map {
      Fingerprint.area(of: BlurRequest(), people: try PeopleOptions.parse($0).text)
    }
    #expect(Set(areas).count == 4 && areas[0] == plain)
  }

  /// An image whose faces are all shown is not counted as hidden.
  @Test func shownFacesAreNotCountedAsHidden() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let close = try astronaut().cropped(x: 120, y: 10, width: 220, height: 200)
      try folder.write(PNGBuilder(close).encoded(), to: "in/close.png")
      let some = try run(folder, ["--min-face", "40%", "--json"])
      let counts = try jsonObject(some.text)
      let shown = try folder.manifest().entries.values.count { entry in
        (entry["warningKinds"] as? [String])?.contains("not-hidden") == true
      }
      #expect(shown > 0 && counts["notHidden"] as? Int == shown, "\(counts)")
      let hidden = try #require(counts["cropped"] as? Int) - shown
      #expect(hidden > 0)
      #expect(some.errorLines.contains { $0.hasPrefix("hidden    \(hidden)  ") }, "\(some.stderr)")
      #expect(
        some.errorLines.contains { $0.hasPrefix("shown     \(shown)  ") && $0.hasSuffix("no face was hidden") },
        "\(some.stderr)")
      #expect(try jsonObject(run(folder, ["--json"], out: "all").text)["notHidden"] == nil)
    }
  }

  /// A warning names no option that a batch lacks.
  @Test func doubtfulFacesAreShownInTheReport() {
    for numbers in [[16], [2, 3]] {
      let message = PictureWork.doubt(numbers).message
      #expect(message.contains("may be none") && message.contains("--report") && !message.contains("--except"))
      #expect(numbers.allSatisfy { message.contains("\($0)") })
    }
  }
}
