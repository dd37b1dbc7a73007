import Foundation
import TestSupport
import Testing

@testable import FaceCrop
@testable import FaceCropCLI

/// `facecrop check`.
@Suite struct CheckCommandTests {
  @Test func rulesHaveValuesLimitsAndSources() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      #expect(
        try Facecrop.run(
          "avatar", input, "--preset", "passport", "-o", folder / "p.png", "--size", "x600",
          "--upscale"
        )
        .status == 0)
      let outcome = try Facecrop.run("check", "--json", folder / "p.png", input)
      #expect(outcome.status == 2 && outcome.lines.count == 2)
      let made = try jsonObject(outcome.lines[0])
      #expect(keys(made) == ["file", "preset", "passes", "checks"])
      let checks = try #require(made["checks"] as? [[String: Any]])
      #expect(
        checks.map { $0["name"] as? String } == [
          "faces", "shape", "head-height", "whole-head", "eye-line", "center", "tilt", "turn", "mouth",
          "eye-distance", "sharpness", "background-light", "background-uniform", "background-shadow",
        ])
      for check in checks {
        #expect(check["source"] is String && check["unit"] is String)
        // Null says that a rule was not measured.
        #expect(check["value"] == nil ? check["passes"] is NSNull : check["passes"] is Bool, "\(check)")
        #expect(check["least"] != nil || check["most"] != nil)
      }
      func value(_ name: String) throws -> Double {
        try #require(checks.first { $0["name"] as? String == name }?["value"] as? Double)
      }
      #expect(try value("faces") == 1 && abs(value("shape") - 35.0 / 45) < 0.01)
      // The hair is so high that the eyes are slightly below the middle of the frame.
      #expect(
        try (0.46...0.7).contains(value("eye-line")) && (0.45...0.55).contains(value("center")))
      // The whole image is no passport photo.
      #expect(try jsonObject(outcome.lines[1])["passes"] as? Bool == false)
    }
  }

  /// A document sets the size, the resolution and the bytes of an output, and `check` measures by the same table.
  @Test func documentsSetTheirSize() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      for (preset, size) in [("visa:us", [600, 600]), ("passport:sg", [400, 514]), ("passport:nz", [900, 1_200])] {
        let output = folder / "out.jpg"
        let made = try Facecrop.run("avatar", input, "--preset", preset, "-o", output, "--upscale")
        #expect(made.status == 0, "\(made.stderr)")
        let info = try jsonObject(Facecrop.run("info", "--json", output).lines[0])
        #expect([info["width"] as? Int, info["height"] as? Int] == size, "\(preset)")
        if preset != "passport:nz" { #expect(info["dpi"] as? Double == 300) }
        let check = try jsonObject(Facecrop.run("check", "--json", output, "--preset", preset).lines[0])
        #expect(check["preset"] as? String == preset)
        let checks = try #require(check["checks"] as? [[String: Any]])
        for rule in ["shape", "width", "height"] {
          #expect(checks.first { $0["name"] as? String == rule }?["passes"] as? Bool == true, "\(preset) \(rule)")
        }
        let bytes = try #require(checks.first { $0["name"] as? String == "file-size" })
        let count = try folder.bytes("out.jpg").count
        #expect(bytes["unit"] as? String == "bytes" && bytes["value"] as? Int == count)
      }
      // Another size, or a size on paper, takes precedence.
      let sized = try Facecrop.run(
        "avatar", input, "--preset", "visa:us", "-o", folder / "small.jpg", "--size", "100")
      #expect(sized.status == 0)
      let info = try jsonObject(Facecrop.run("info", "--json", folder / "small.jpg").lines[0])
      #expect(info["width"] as? Int == 100 && info["height"] as? Int == 100)
      #expect(
        try Facecrop.run("crop", input, "--preset", "visa:us", "--lossless", "-o", folder / "l.jpg").status == 64)
      // A sheet has prints of the document's size: 2 inches.
      let sheet = try Facecrop.run(
        "sheet", input, "--preset", "passport:us", "-o", folder / "sheet.png", "--copies", "1")
      #expect(sheet.status == 0)
      let same = try Facecrop.run(
        "sheet", input, "--preset", "passport:us", "-o", folder / "same.png", "--copies", "1", "--size", "2x2in")
      #expect(try same.status == 0 && folder.bytes("sheet.png") == folder.bytes("same.png"))
    }
  }

  @Test func peopleGetATable() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let none = try folder.write(Samples.faceless(), to: "none.jpg")
      let outcome = try Facecrop.run("check", input, none, folder / "missing.jpg")
      #expect(outcome.status == 1 && outcome.stderr.contains("missing.jpg: "))
      #expect(outcome.lines.count == 30)
      #expect(
        outcome.lines[0].hasPrefix("\(input) breaks ")
          && outcome.lines[15].hasPrefix("\(none) breaks "))
      #expect(outcome.lines[1].hasPrefix("  pass  faces  "))
      #expect(outcome.lines[16].hasPrefix("  FAIL  faces  "))
      #expect(outcome.lines[16].contains("0") && outcome.lines[18].contains(" - "))
      #expect(outcome.lines.allSatisfy { $0 == input || $0.count <= 130 || $0.hasPrefix("/") })
    }
  }

  /// A warning, the table, and JSON name a rule alike, and values have units.
  @Test func rulesHaveOneName() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let made = try Facecrop.run(
        "avatar", input, "--preset", "passport", "--size", "90", "-o", folder / "p.jpg", "--json")
      let outputs = try #require(jsonObject(made.lines[0])["outputs"] as? [[String: Any]])
      let missed = try #require(outputs[0]["missedRules"] as? [String])
      let table = try Facecrop.run("check", folder / "p.jpg")
      // The background is measured only by `check`.
      let broken = table.lines.filter { $0.hasPrefix("  FAIL") && !$0.contains(" background-") }
        .map { $0.split(separator: " ").map(String.init) }
      #expect(broken.map { $0[1] } == missed && missed.contains("eye-distance"))
      let words = try #require(broken.first { $0[1] == "eye-distance" })
      #expect(
        words[3] == "px" && made.stderr.contains("'eye-distance': \(words[2]) px, not at least 90 px"), "\(made.stderr)"
      )
    }
  }

  /// Where the options are the cause of a broken rule, the warning has the option that cures it.
  @Test(arguments: [
    ("passport", "--size 100", "eye-distance"), ("visa:us", "--size 300", "width"),
    ("passport", "--size 35x45mm --dpi 80", "eye-distance"), ("visa:us", "--size 1300 --upscale", "height"),
  ])
  func anOptionIsTheRemedyOfItsRule(preset: String, options: String, rule: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(
        JPEGRecipe.baseline420.encode(astronaut().resizedBilinear(width: 2_048, height: 2_048)), to: "in.jpg")
      func missed(_ options: String) throws -> [String] {
        let run = try Facecrop.run(
          ["avatar", "in.jpg", "--preset", preset, "-o", "out.jpg"] + options.split(separator: " ").map(String.init),
          currentDirectory: folder.path)
        #expect(run.status == 0, "\(run.stderr)")
        return run.errorLines.filter { $0.contains("rule '\(rule)'") }
      }
      let message = try #require(missed(options).first)
      let remedy = try #require(message.split(separator: "(pass ").last?.split(separator: ",").first)
      #expect(remedy.hasPrefix(options.hasSuffix("--dpi 80") ? "--dpi " : "--size "), "\(message)")
      let words = options.split(separator: " ").map(String.init)
      let kept = words.prefix { $0 != remedy.prefix(while: { $0 != " " }) }
      #expect(try missed(kept.joined(separator: " ") + " \(remedy)") == [], "\(message)")
    }
  }

  /// Returns an image rotated about its center, by nearest samples.
  private static func tilted(_ image: Pixels, degrees: Double) -> Pixels {
    let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
    let (width, height) = (image.width, image.height)
    var samples: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let (dx, dy) = (Double(x - width / 2), Double(y - height / 2))
        let column = min(max(Int(dx * cosine + dy * sine) + width / 2, 0), width - 1)
        let row = min(max(Int(dy * cosine - dx * sine) + height / 2, 0), height - 1)
        let start = (row * width + column) * 3
        samples += image.samples[start..<start + 3]
      }
    }
    return Pixels(width: width, height: height, channels: 3, samples: samples)
  }

  /// A photo whose face is too small, and a frame by options or by a plan.
  @Test func otherCausesHaveOtherRemedies() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      func warnings(_ options: String) throws -> String {
        try Facecrop.bash(
          "facecrop avatar in.jpg --preset passport -o out.jpg \(options)", currentDirectory: folder.path
        )
        .stderr
      }
      let small = try warnings("")
      #expect(small.contains("'eye-distance'") && small.contains("px (use another photo"), "\(small)")
      let placed = try warnings("--face-ratio 0.2")
      #expect(placed.contains("'head-height'") && placed.contains("(leave out --face-ratio and --padding"), "\(placed)")
      let planned = try warnings(
        "--face-ratio 0.2 --plan-out p.json > /dev/null; facecrop avatar in.jpg --preset passport -o o.jpg --plan-in p.json"
      )
      #expect(planned.contains("'head-height'") && planned.contains("(leave out --plan-in"), "\(planned)")
      try folder.write(JPEGRecipe.baseline420.encode(Self.tilted(astronaut(), degrees: 14)), to: "in.jpg")
      let tilted = try warnings("--size x600")
      #expect(tilted.contains("'tilt'") && tilted.contains("(pass --align"), "\(tilted)")
    }
  }

  /// A photo without a visible background passes no rule about it.
  @Test func rulesThatWereNotMeasuredAreNull() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let close = ["crop", input, "--padding", "0", "-o", folder / "close.jpg"]
      #expect(try Facecrop.run(close).status == 0)
      let outcome = try Facecrop.run("check", "--json", folder / "close.jpg")
      let line = try jsonObject(outcome.lines[0])
      #expect(outcome.status == 2 && line["passes"] as? Bool == false)
      let checks = try #require(line["checks"] as? [[String: Any]])
      let background = checks.filter { ($0["name"] as? String)?.hasPrefix("background") == true }
      let unmeasured = background.filter { $0["value"] == nil }
      #expect(background.count == 3 && unmeasured.count == 3 && unmeasured.allSatisfy { $0["passes"] is NSNull })
      let table = try Facecrop.run("check", folder / "close.jpg")
      #expect(table.lines.count { $0.hasPrefix("  none  background-") } == unmeasured.count)
    }
  }

  @Test func foldersGetATableOfTheirImages() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir -p in/sub; echo text > in/notes.txt", in: folder)
      try folder.write(Samples.portrait(), to: "in/a.jpg")
      try folder.write(Samples.faceless(), to: "in/sub/b.jpg")
      let outcome = try Facecrop.run("check", "-r", "in", currentDirectory: folder.path)
      #expect(outcome.status == 2 && outcome.errorLines.isEmpty, "\(outcome.stderr)")
      #expect(outcome.lines.count == 3)
      #expect(
        outcome.lines[0].hasPrefix("FAIL  in/a.jpg  ")
          && outcome.lines[1].hasPrefix("FAIL  in/sub/b.jpg  faces 0"))
      #expect(outcome.lines[2] == "0 of 2 images keep every rule")
      try folder.write("text", to: "in/c.jpg")
      let failed = try Facecrop.run("check", "-r", "in", currentDirectory: folder.path)
      #expect(failed.status == 1 && failed.lines.last == "0 of 2 images keep every rule")
      #expect(
        try Facecrop.run("check", "-r", "in", "--json", currentDirectory: folder.path).lines.count
          == 3)
    }
  }

  @Test func wrongUsage() throws {
    #expect(try Facecrop.run("check").status == 64)
    #expect(try Facecrop.run("check", "a.jpg", "--preset", "statue").status == 64)
    #expect(try Facecrop.run("check", "https://example.com/a.jpg").status == 64)
  }

  /// A value that rounds to zero has no sign.
  @Test func zeroHasNoSign() {
    for unit in [PhotoCheck.Unit.part, .degrees, .count] {
      let rule = PhotoCheck.Rule(name: "", subject: "", unit: unit, least: nil, most: nil, source: "")
      func shown(_ value: Double) -> String { PhotoCheck.Finding(rule: rule, value: value).shownValue }
      #expect(shown(-0.0001).hasPrefix("0") && shown(-1).hasPrefix("-1"))
    }
  }
}
