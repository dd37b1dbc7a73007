import TestSupport
import Testing

/// `--best-of`: one photo of each moment.
@Suite struct BestOfTests {
  private static let run = ["batch", "-r", "in", "-d", "out", "--size", "64", "--best-of", "2"]

  private func write(_ pixels: Pixels, _ time: String?, to name: String, in folder: TemporaryFolder) throws {
    let exif = EXIFBuilder.tiff(dateTimeOriginal: time.map { "2024:12:31 \($0)" })
    try folder.write(JPEGRecipe.baseline444.with { $0.segments = [.exif(exif)] }.encode(pixels), to: "in/\(name).jpg")
  }

  /// Writes two photos of one moment, of which the sharper one has closed eyes. The others stand alone.
  private func writePhotos(in folder: TemporaryFolder) throws {
    try Facecrop.prepare("mkdir -p in/sub", in: folder)
    try write(sleepingAstronaut(), "10:00:00", to: "asleep", in: folder)
    try write(softAstronaut(), "10:00:02", to: "awake", in: folder)
    try write(twoAstronauts(), "10:00:01", to: "couple", in: folder)
    try write(astronaut(), "10:00:05", to: "later", in: folder)
    try write(astronaut(), "10:00:01", to: "sub/other", in: folder)
    try write(sleepingAstronaut(), nil, to: "undated", in: folder)
    try write(Pixels(width: 64, height: 64, color: [90, 90, 90]), "10:00:01", to: "empty", in: folder)
  }

  private func outputs(_ folder: TemporaryFolder) throws -> [String] {
    try Facecrop.bash("cd out; find . -name '*.jpg' | sort", currentDirectory: folder.path).lines
  }

  @Test func onlyTheBestPhotoOfAMomentIsCropped() throws {
    try TemporaryFolder.with { folder in
      try writePhotos(in: folder)
      let outcome = try Facecrop.run(Self.run + ["--report", "report.html"], currentDirectory: folder.path)
      #expect(outcome.status == 0 && outcome.stderr.contains("best-of 1"), "\(outcome.stderr)")
      #expect(
        try outputs(folder) == ["./awake.jpg", "./couple.jpg", "./later.jpg", "./sub/other.jpg", "./undated.jpg"])
      let manifest = try folder.manifest()
      #expect(manifest.status("in/asleep.jpg") == "skipped" && manifest.reason("in/asleep.jpg").kind == "best-of")
      #expect(manifest.reason("in/asleep.jpg").message.contains("'in/awake.jpg'"))
      #expect(manifest.entries["in/asleep.jpg"]?["shot"] != nil && manifest.entries["in/later.jpg"]?["shot"] == nil)
      #expect(try folder.text("report.html").contains("'in/awake.jpg' shows the same moment better"))
      // Jobs do not change the result.
      let alone = try Facecrop.run(
        ["batch", "-r", "in", "-d", "one", "--size", "64", "--best-of", "2", "-j", "1"], currentDirectory: folder.path)
      #expect(alone.status == 0 && !folder.has("one/asleep.jpg") && folder.has("one/awake.jpg"))
    }
  }

  /// Nothing is written twice or removed, and a better photo that arrives later takes the place of the best one.
  @Test func laterRunsKeepTheMeasurements() throws {
    try TemporaryFolder.with { folder in
      try writePhotos(in: folder)
      #expect(try Facecrop.run(Self.run, currentDirectory: folder.path).status == 0)
      let first = try folder.text("out/manifest.ndjson")
      let again = try Facecrop.run(Self.run, currentDirectory: folder.path)
      #expect(again.status == 0 && again.stderr.contains("7 of them by an earlier run"), "\(again.stderr)")
      #expect(try folder.text("out/manifest.ndjson") == first)
      // It joins the moments before and after it. The last photo is equal, so that the first one wins.
      try write(astronaut(), "10:00:03", to: "sharp", in: folder)
      let added = try Facecrop.run(Self.run, currentDirectory: folder.path)
      #expect(added.status == 0, "\(added.stderr)")
      #expect(try outputs(folder).contains("./sharp.jpg") && !folder.has("out/asleep.jpg"))
      let manifest = try folder.manifest()
      for name in ["asleep", "awake", "later"] {
        #expect(manifest.reason("in/\(name).jpg").message.contains("'in/sharp.jpg'"))
      }
      // Outputs of earlier runs stay.
      #expect(folder.has("out/awake.jpg") && folder.has("out/later.jpg"))
      #expect(added.stderr.contains("2 outputs of earlier runs are left"), "\(added.stderr)")
      // Without the option, all are cropped.
      let all = try Facecrop.run(Array(Self.run.dropLast(2)), currentDirectory: folder.path)
      #expect(all.status == 0 && folder.has("out/asleep.jpg"), "\(all.stderr)")
    }
  }

  /// The next best photo takes the place of one that a person rejected.
  @Test func rejectedPhotosMakeWay() throws {
    try TemporaryFolder.with { folder in
      try writePhotos(in: folder)
      #expect(try Facecrop.run(Self.run + ["--plan-out", "list"], currentDirectory: folder.path).status == 0)
      let line = try #require(folder.text("list").split(separator: "\n").first { $0.contains("in/awake.jpg") })
      try folder.write(String(line).replacing(/"crops":\[.*?\}\],/, with: #""crops":[],"#) + "\n", to: "rejected")
      let outcome = try Facecrop.run(Self.run + ["--plan-in", "rejected"], currentDirectory: folder.path)
      #expect(outcome.status == 0 && folder.has("out/asleep.jpg"), "\(outcome.stderr)")
      #expect(try folder.manifest().reason("in/awake.jpg").kind == "rejected")
    }
  }

  /// The next best photo takes the place of one that fails when it is written, also in later runs.
  @Test func failedPhotosMakeWay() throws {
    try TemporaryFolder.with { folder in
      try writePhotos(in: folder)
      try write(sleepingAstronaut(), "10:00:01", to: "doze", in: folder)
      // The name of its output would be too long.
      let best = String(repeating: "a", count: 240)
      try Facecrop.prepare("mv in/awake.jpg in/\(best).jpg", in: folder)
      let run = Self.run + ["--name", "{stem}-01234567890123456789.{ext}"]
      let outcome = try Facecrop.run(run, currentDirectory: folder.path)
      #expect(outcome.status == 1 && outcome.stderr.contains("longer than 255 bytes"), "\(outcome.stderr)")
      #expect(folder.has("out/asleep-01234567890123456789.jpg") && !folder.has("out/doze-01234567890123456789.jpg"))
      let first = try folder.text("out/manifest.ndjson")
      let manifest = try folder.manifest()
      #expect(manifest.entries.count == 8 && manifest.status("in/\(best).jpg") == "failed")
      #expect(manifest.reason("in/doze.jpg").message.contains("'in/asleep.jpg' shows the same moment better"))
      let again = try Facecrop.run(run, currentDirectory: folder.path)
      #expect(again.status == 1 && again.stderr.contains("8 of them by an earlier run"), "\(again.stderr)")
      #expect(try folder.text("out/manifest.ndjson") == first)
      // With a name that fits, the best photo returns.
      let better = try Facecrop.run(Self.run + ["--name", "{stem}.{ext}", "--prune"], currentDirectory: folder.path)
      #expect(better.status == 0 && folder.has("out/\(best).jpg") && !folder.has("out/asleep.jpg"), "\(better.stderr)")
    }
  }

  /// All photos of a moment may have one name, because one of them is cropped.
  @Test func photosOfAMomentMayShareAName() throws {
    try TemporaryFolder.with { folder in
      try writePhotos(in: folder)
      let own = ["other", "undated", "empty"].map { "\($0).jpg;Doe;\($0)" }
      func run(_ out: String, couple: String, later: String, _ options: [String] = []) throws -> Facecrop.Outcome {
        let names = ["asleep;Roe;Ann", "awake;Roe;Ann", "couple;\(couple)", "later;\(later)"]
          .map { $0.replacing(";", with: ".jpg;", maxReplacements: 1) }
        try folder.write((["file;last;first"] + names + own).joined(separator: "\n"), to: "names.csv")
        let run = ["batch", "-r", "in", "-d", out, "--size", "64", "--best-of", "2", "--names", "names.csv"]
        return try Facecrop.run(run + ["--name", "{last}-{first}.{ext}"] + options, currentDirectory: folder.path)
      }
      let outcome = try run("out", couple: "Roe;both", later: "Roe;Ann 2")
      #expect(outcome.status == 0, "\(outcome.stderr)")
      let names = try outputs(folder).filter { $0.contains("Roe") }
      #expect(Set(names) == ["./Roe-Ann 2.jpg", "./Roe-Ann.jpg", "./Roe-both.jpg"])
      #expect(try folder.manifest().status("in/awake.jpg") == "cropped")
      let first = try folder.text("out/manifest.ndjson")
      #expect(try run("out", couple: "Roe;both", later: "Roe;Ann 2").status == 0)
      #expect(try folder.text("out/manifest.ndjson") == first)
      // A later photo, and one of two people.
      let late = try run("late", couple: "Roe;both", later: "Roe;Ann")
      #expect(late.status == 64 && late.stderr.contains("both give Roe-Ann.jpg") && !folder.has("late"))
      let couple = try run("couple", couple: "Roe;Ann", later: "Roe;Ann 2")
      #expect(couple.status == 64 && couple.stderr.contains("both give Roe-Ann.jpg"), "\(couple.stderr)")
      #expect(!folder.has("couple/Roe-Ann.jpg"))
      let numbered = try run("all", couple: "Roe;Ann", later: "Roe;Ann 2", ["--on-collision", "number"])
      #expect(numbered.status == 0 && folder.has("all/Roe-Ann.jpg") && folder.has("all/Roe-Ann-2.jpg"))
    }
  }

  @Test func aDryRunWritesNothing() throws {
    try TemporaryFolder.with { folder in
      try writePhotos(in: folder)
      let options = ["batch", "-r", "in", "--dry-run", "--size", "64", "--best-of"]
      let outcome = try Facecrop.run(options + ["2"], currentDirectory: folder.path)
      #expect(outcome.status == 0 && outcome.text.contains("'in/awake.jpg' shows the same moment better"))
      #expect(try folder.names() == ["in"])
      let near = try Facecrop.run(options + ["1.9"], currentDirectory: folder.path)
      #expect(near.status == 0 && !near.text.contains("the same moment"), "\(near.text)")
    }
  }

  @Test(arguments: [
    (["2", "--shard", "0/2"], "leave out --shard"), (["2", "--blur"], "leave out --best-of"),
    (["2", "--detector", "haar"], "--detector yunet"), (["-1"], "--best-of"), (["soon"], "--best-of"),
    (["4000"], "0 to 3600"),
  ])
  func optionsThatCannotCompareAreRefused(options: [String], words: String) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      let outcome = try Facecrop.run(
        ["batch", "-r", "in", "-d", "out", "--best-of"] + options, currentDirectory: folder.path)
      #expect(outcome.status == 64 && outcome.stderr.contains(words), "\(outcome.stderr)")
      #expect(!folder.has("out"))
    }
  }
}
