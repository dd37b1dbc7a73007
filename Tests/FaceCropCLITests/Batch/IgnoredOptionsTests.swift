import TestSupport
import Testing

/// Options of a batch whose effect the plans of `--plan-in` decide.
@Suite struct IgnoredOptionsTests {
  /// Writes two images that differ, and a list of plans by a preset for the first `count` of them.
  private static func prepare(_ folder: TemporaryFolder, preset: String, count: Int = 2) throws {
    try folder.write(Samples.portrait(), to: "a.jpg")
    try folder.write(Samples.portrait() + [1], to: "b.jpg")
    let images = ["a.jpg", "b.jpg"].prefix(count)
    let run = ["batch", "--preset", preset, "--dry-run", "--plan-out", "p.ndjson"] + images
    #expect(try Facecrop.run(run, currentDirectory: folder.path).status == 0)
  }

  private static func apply(_ options: String..., in folder: TemporaryFolder) throws -> Facecrop.Outcome {
    let run = try Facecrop.run(
      ["batch", "a.jpg", "b.jpg", "--plan-in", "p.ndjson", "-d", "out", "--size", "64"] + options,
      currentDirectory: folder.path)
    #expect(run.status == 0, "\(run.stderr)")
    return run
  }

  private static func ignored(in folder: TemporaryFolder) throws -> Int {
    try folder.text("out/manifest.ndjson").split(separator: "\n").count {
      $0.contains("\"warningKinds\":[\"ignored\"]")
    }
  }

  /// The presets differ in shape, or in the place of the head alone.
  @Test(arguments: [("portrait", "avatar"), ("avatar", "tight"), ("avatar", "crop"), ("crop", "avatar")])
  func framesOfAnotherPresetAreNamed(made: String, asked: String) throws {
    try TemporaryFolder.with { folder in
      try Self.prepare(folder, preset: made)
      let run = try Self.apply("--preset", asked, in: folder)
      #expect(run.stderr.contains("facecrop: p.ndjson: warning: --preset had no effect, because"), "\(run.stderr)")
      #expect(try Self.ignored(in: folder) == 2)
    }
  }

  /// The same command with the plans of the same options has nothing to say.
  @Test(arguments: ["crop", "avatar", "portrait", "tight", "passport", "passport:us", "social-facebook"])
  func framesOfTheSamePresetAreNot(preset: String) throws {
    try TemporaryFolder.with { folder in
      try Self.prepare(folder, preset: preset)
      let run = try Self.apply("--preset", preset, in: folder)
      #expect(!run.stderr.contains("no effect"), "\(run.stderr)")
      #expect(try Self.ignored(in: folder) == 0)
    }
  }

  /// Beside an image without a plan, the options are of use, and the images without an effect are counted.
  @Test func someImagesWithAnotherFrameAreCounted() throws {
    try TemporaryFolder.with { folder in
      try Self.prepare(folder, preset: "portrait", count: 1)
      let run = try Self.apply("--preset", "avatar", "--padding", "0.4", in: folder)
      #expect(
        run.stderr.contains(
          "facecrop: p.ndjson: warning: --preset and --padding had no effect on 1 of 2 inputs, because their plans"),
        "\(run.stderr)")
      #expect(try Self.ignored(in: folder) == 1)
    }
  }

  /// A corrected frame has another place, and no warning. One of another shape has a warning.
  @Test(arguments: [("0.3", 0), ("0.6", 2)])
  func aCorrectedFrameKeepsItsShape(width: String, count: Int) throws {
    try TemporaryFolder.with { folder in
      try Self.prepare(folder, preset: "avatar")
      let region = #""region":{"x":0.1,"y":0.2,"width":\#(width),"height":0.3}"#
      try Facecrop.prepare("sed -i 's/\"region\":{[^}]*}/\(region)/' p.ndjson", in: folder)
      let run = try Self.apply("--preset", "avatar", in: folder)
      #expect(run.stderr.contains("no effect") == (count > 0), "\(run.stderr)")
      #expect(try Self.ignored(in: folder) == count)
    }
  }

  /// All inputs have a plan, so other options than the preset have no effect either.
  @Test func optionsBesideThePresetAreNamed() throws {
    try TemporaryFolder.with { folder in
      try Self.prepare(folder, preset: "crop")
      let run = try Self.apply("--preset", "avatar", "--padding", "0.4", in: folder)
      #expect(run.stderr.contains("p.ndjson: warning: --preset and --padding had no effect"), "\(run.stderr)")
    }
  }
}
