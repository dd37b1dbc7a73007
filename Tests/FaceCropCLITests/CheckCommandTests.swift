import Foundation
import TestSupport
import Testing

/// `facecrop check`.
@Suite struct CheckCommandTests {
  @Test func rulesHaveValuesLimitsAndSources() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      #expect(
        try Facecrop.run(
          "avatar", input, "--preset", "passport", "-o", folder / "p.png", "--height", "600",
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
          "faces", "shape", "head-height", "whole-head", "eye-line", "center", "tilt",
          "eye-distance", "sharpness", "background-light", "background-uniform", "background-shadow",
        ])
      for check in checks {
        #expect(check["source"] is String && check["passes"] is Bool && check["unit"] is String)
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

  @Test func peopleGetATable() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let none = try folder.write(Samples.faceless(), to: "none.jpg")
      let outcome = try Facecrop.run("check", input, none, folder / "missing.jpg")
      #expect(outcome.status == 1 && outcome.stderr.contains("missing.jpg: "))
      #expect(outcome.lines.count == 26)
      #expect(
        outcome.lines[0].hasPrefix("\(input) breaks ")
          && outcome.lines[13].hasPrefix("\(none) breaks "))
      #expect(outcome.lines[1].hasPrefix("  pass  faces in the picture"))
      #expect(outcome.lines[14].hasPrefix("  FAIL  faces in the picture"))
      #expect(outcome.lines[14].contains("0") && outcome.lines[16].contains(" - "))
      #expect(outcome.lines.allSatisfy { $0 == input || $0.count <= 130 || $0.hasPrefix("/") })
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
}
