import FaceCrop
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import FaceCropCLI

/// Surprises on the first day with the command.
@Suite struct FirstDayTests {
  /// The file of standard input counts as an input.
  @Test func standardInputsFileIsNotReplaced() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.bash(
        """
        "$FACECROP" avatar - -o in.jpg --size 50 < in.jpg; echo $?
        cat in.jpg | "$FACECROP" avatar - -o other.jpg --size 50; echo $?
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["1", "0"] && outcome.stderr.hasPrefix("facecrop: in.jpg: "))
      #expect(try folder.bytes("in.jpg") == Samples.portrait())
    }
  }

  @Test(arguments: ["/dev/full"]) func anObjectThatIsLostIsAFailure(to: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.bash(
        """
        "$FACECROP" avatar in.jpg --json -o a.jpg > \(to); echo $?
        "$FACECROP" avatar none.jpg --json > \(to); echo $?
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["1", "1"])
      #expect(outcome.errorLines.count { $0.hasPrefix("facecrop: standard output: ") } == 2)
    }
  }

  @Test func withoutAFaceTheObjectSaysSo() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.faceless(), to: "none.jpg")
      try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.bash(
        """
        "$FACECROP" avatar none.jpg --no-face fail --json; echo $?
        "$FACECROP" avatar in.jpg --faces 2 --no-face fail --json; echo $?
        """, currentDirectory: folder.path)
      try #require(outcome.lines.count == 4)
      #expect(outcome.lines[1] == "2" && outcome.lines[3] == "2")
      let objects = try [0, 2].map { try jsonObject(outcome.lines[$0]) }
      #expect(objects.allSatisfy { $0["status"] as? String == "no-face" })
      #expect((objects[1]["reason"] as? [String: String])?["kind"] == "no-face")
      #expect((objects[1]["reason"] as? [String: String])?["message"]?.contains("2") == true)
    }
  }

  /// Scripts write under a temporary name, and rename the file.
  @Test func anExtensionThatSaysNothingLeavesTheInputsFormat() throws {
    try TemporaryFolder.with { folder in
      try folder.write(PNGBuilder(astronaut()).encoded(), to: "in.png")
      for name in ["p.tmp", "p", "tmp.Ab3dEf"] {
        #expect(try Facecrop.run("avatar", folder / "in.png", "-o", folder / name, "--size", "40").status == 0)
        #expect(try folder.bytes(name).starts(with: [0x89, 0x50, 0x4E, 0x47]))
        // The second run replaces the image of the first.
        #expect(try Facecrop.run("avatar", folder / "in.png", "-o", folder / name, "--size", "30").status == 0)
      }
      // A table is no temporary file.
      try folder.write("in.png,Ann\n", to: "names.csv")
      let lost = try Facecrop.run("avatar", folder / "in.png", "-o", folder / "names.csv")
      #expect(lost.status == 1 && lost.stderr.contains("names.csv: the existing file is not an image"))
      #expect(try folder.text("names.csv") == "in.png,Ann\n")
    }
  }

  @Test func aPrintKeepsItsSize() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      for format in ["jpg", "png", "webp"] {
        let output = folder / "out.\(format)"
        let outcome = try Facecrop.run("avatar", input, "-o", output, "--preset", "passport", "--size", "35x45mm")
        #expect(outcome.status == 0 && outcome.stderr.contains("413×531"))
        let object = try jsonObject(try #require(Facecrop.run("info", "--json", output).lines.first))
        let (height, dpi) = (try #require(object["height"] as? Double), try #require(object["dpi"] as? Double))
        #expect(height < 531 && abs(height / dpi * 25.4 - 45) < 0.3, "\(format): \(height) at \(dpi)")
      }
    }
  }

  /// A value after an equals sign is never a flag.
  @Test(arguments: ["-o=here.jpg", "--output=here.jpg", "-o here.jpg"]) func outputsAreNamed(option: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.bash(
        "\"$FACECROP\" crop in.jpg \(option); \"$FACECROP\" batch in.jpg --base=. -d=there --size 20; ls . there",
        currentDirectory: folder.path)
      #expect(outcome.lines.contains("here.jpg") && outcome.lines.suffix(2) == ["in.jpg", "manifest.ndjson"])
    }
  }

  // MARK: Folders

  @Test func theOutputsFolderIsNoInput() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir io", in: folder)
      try folder.write(Samples.portrait(), to: "io/a.jpg")
      for options in ["-d io", "-d ./io/. --name '{stem}-crop.{ext}'"] {
        let outcome = try Facecrop.bash(
          "\"$FACECROP\" batch -r io \(options); echo $?; ls io", currentDirectory: folder.path)
        #expect(outcome.lines == ["64", "a.jpg"] && outcome.stderr.contains("io: "))
      }
    }
  }

  @Test func documentsAreSkipped() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare(
        "mkdir in; echo '%PDF-1.4' > in/a.pdf; echo '<svg/>' > in/b.svg; printf '\\377\\012' > in/c.jxl", in: folder)
      let outcome = try Facecrop.bash(
        "\"$FACECROP\" batch -r in -d out --progress json 2>&1 | tail -n 1", currentDirectory: folder.path)
      let object = try jsonObject(outcome.lines[0])
      #expect(object["skipped"] as? Int == 2 && object["failed"] as? Int == 1)
    }
  }

  @Test func listsOfWindowsAreRead() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        "printf 'a.jpg\\r\\n' | \"$FACECROP\" batch --from-list - -d out --size 20; echo $?; ls out/a.jpg",
        currentDirectory: folder.path)
      #expect(outcome.lines == ["0", "out/a.jpg"], "\(outcome.stderr)")
    }
  }

  /// Some cameras' and converters' RAW files are JPEG files.
  @Test func aRawFilesNameIsInNobodysWay() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      try folder.write(Samples.portrait(), to: "in/a.JPG")
      try folder.write(Samples.portrait(), to: "in/a.NEF")
      try folder.write(Samples.portrait(), to: "in/b.NEF")
      let outcome = try Facecrop.bash(
        "\"$FACECROP\" batch -r in -d out --size 20 --progress none; echo $?; ls out; grep -c '\"kind\":\"pair\"' out/manifest.ndjson",
        currentDirectory: folder.path)
      #expect(outcome.lines == ["0", "a.JPG", "b.jpg", "manifest.ndjson", "1"], "\(outcome.stderr)")
    }
  }

  @Test func skippedFilesDoNotResetTheDiskCount() async throws {
    let recorder = BatchRecorder(manifest: nil, plans: nil, progress: BatchProgress(.none))
    let full = Outcome(FileError.writing("a.jpg", Errno.noSpace))
    let skipped = Outcome(.skipped("no-picture", "is none"))
    for number in 0..<BatchRecorder.fullDisksInARow {
      #expect(await recorder.fault == nil)
      for (ending, outcome) in [("xmp", skipped), ("jpg", full)] {
        let path = FilePath("\(number).\(ending)")
        let entry = ManifestEntry(path, location: path, nil, outcome, options: "", isDryRun: true)
        await recorder.record(entry, of: BatchInput(path: path, place: path, isNamed: true))
      }
    }
    #expect(await recorder.fault != nil)
  }

  /// A later run does not name the images again, but says where their reasons are.
  @Test func mentionsRetryForEarlierFailures() throws {
    try TemporaryFolder.with { folder in
      try folder.write("text", to: "a.jpg")
      let outcome = try Facecrop.bash(
        "for i in 1 2; do \"$FACECROP\" batch a.jpg -d out 2>&1 | grep -- --retry; done; true",
        currentDirectory: folder.path)
      #expect(
        outcome.lines
          == ["retry     1 failed in an earlier run (see the manifest or --report, or pass --retry)"])
    }
  }
}
