import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import FaceCropCLI

/// A run only writes below its output folder, whatever its inputs are called and the folder contains.
@Suite struct OutputFolderTests {
  // MARK: Names

  @Test(arguments: ["..", ".", "../a.jpg", "a/../../b.jpg", "a/../b.jpg", "./a.jpg", "/a.jpg", "", "a/.."])
  func namesThatLeadOutAreRefused(name: String) throws {
    try TemporaryFolder.with { folder in
      let output = try OutputFolder(FilePath(folder / "out"))
      #expect(!OutputFolder.isInside(FilePath(name)))
      let file = try refusal { _ = try output.file(FilePath(name), gate: WriteGate(input: nil)) }
      let source = FilePath(try folder.write("x", to: "x"))
      let link = try refusal { _ = try output.link(source, as: FilePath(name)) }
      #expect(file?.kind == "name" && link?.kind == "name")
      #expect(try folder.names() == ["out", "x"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder / "out").isEmpty)
    }
  }

  private func refusal(_ body: () throws -> Void) throws -> FileError? {
    do {
      try body()
      return nil
    } catch let error as FileError {
      return error
    }
  }

  /// A name of only dots, without its extension.
  @Test(arguments: [
    ("...jpg", "{stem}/avatar.{ext}"), ("..jpg", "{stem}/avatar.{ext}"), ("..jpg", ".{stem}/avatar.{ext}"),
    ("...jpg", "x/{stem}/{stem}/{name}"),
  ])
  func dotsAreNoWayOut(input: String, template: String) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      for name in [input, "a.jpg"] { try folder.write(Samples.portrait(), to: "in/\(name)") }
      let before = try folder.names()
      let arguments = ["batch", "in/\(input)", "in/a.jpg", "--name", template, "--size", "32"]
      let dry = try Facecrop.run(arguments + ["--dry-run"], currentDirectory: folder.path)
      #expect(dry.status == 1)
      #expect(dry.lines.first?.contains("\"kind\":\"name\"") == true)
      #expect(try folder.names() == before)

      let outcome = try Facecrop.run(arguments + ["-d", "out"], currentDirectory: folder.path)
      #expect(outcome.status == 1)
      let manifest = try folder.manifest()
      #expect(manifest.reason("in/\(input)").kind == "name")
      #expect(manifest.reason("in/\(input)").message.contains("outside the output folder"))
      #expect(manifest.status("in/a.jpg") == "cropped")
      #expect(try folder.names() == ["in", "out"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder / "in").sorted() == [input, "a.jpg"].sorted())
    }
  }

  /// A base above the current folder, and an input that is not below it.
  @Test func aBaseIsNoWayOut() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir -p a/b c", in: folder)
      try folder.write(Samples.portrait(), to: "c/p.jpg")
      try folder.write("text", to: "c/text.jpg")
      let outcome = try Facecrop.run(
        ["batch", "../../c/p.jpg", "../../c/text.jpg", "--base", "..", "-d", "out", "--reject-dir", "none"],
        currentDirectory: folder / "a/b")
      #expect(outcome.status == 64 && outcome.stderr.contains("../../c/p.jpg"), "\(outcome.stderr)")
      #expect(
        try Facecrop.bash("find . -type f | sort", currentDirectory: folder.path).lines == [
          "./c/p.jpg", "./c/text.jpg",
        ])
    }
  }

  // MARK: Links

  @Test func linksBelowTheFolderAreNotFollowed() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare(
        """
        mkdir -p in/sub in/deep/er out/deep none elsewhere; cp '\(fixturePath("astronaut.jpg"))' in/a.jpg
        cp in/a.jpg in/sub/b.jpg; cp in/a.jpg in/deep/er/c.jpg; echo text > in/sub/text.jpg
        ln -s ../elsewhere out/sub; ln -s '\(folder / "elsewhere")' out/deep/er; ln -s ../elsewhere none/sub
        """, in: folder)
      let outcome = try Facecrop.run(
        "batch", "-r", "in", "-d", "out", "--size", "32", "--reject-dir", "none", currentDirectory: folder.path)
      #expect(outcome.status == 1)
      let manifest = try folder.manifest()
      #expect(manifest.status("in/a.jpg") == "cropped")
      for (input, link) in [("in/sub/b.jpg", "out/sub"), ("in/deep/er/c.jpg", "out/deep/er")] {
        let reason = manifest.reason(input)
        #expect(reason.kind == "output")
        #expect(reason.message.contains("\(link): symbolic links"))
      }
      let warnings = manifest.entries["in/sub/text.jpg"]?["warnings"] as? [String]
      #expect(warnings?.first?.contains("none/sub: symbolic links") == true)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder / "elsewhere").isEmpty)
    }
  }

  /// Thumbnails show faces, also of images whose faces are hidden.
  @Test func aLinkAsTheFolderOfThumbnailsIsRefused() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir out elsewhere; ln -s ../elsewhere out/report-thumbnails", in: folder)
      try folder.write(Samples.portrait(), to: "a.jpg")
      let run = ["batch", "a.jpg", "-d", "out", "--size", "32", "--report", "out/report.html"]
      let outcome = try Facecrop.run(run, currentDirectory: folder.path)
      #expect(outcome.status == 1)
      #expect(outcome.stderr.contains("out/report-thumbnails: symbolic links"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder / "elsewhere").isEmpty)
      try Facecrop.prepare("rm out/report-thumbnails", in: folder)
      #expect(try Facecrop.run(run, currentDirectory: folder.path).status == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder / "out/report-thumbnails").count == 2)
    }
  }

  /// The user may name the folder, or a single output, by a link.
  @Test func aLinkAsTheFolderIsFollowed() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir -p real/below; ln -s real link; ln -s below real/inner", in: folder)
      try folder.write(Samples.portrait(), to: "a.jpg")
      for output in ["link", "link/inner"] {
        let outcome = try Facecrop.run(
          "batch", "a.jpg", "-d", output, "--size", "32", currentDirectory: folder.path)
        #expect(outcome.status == 0)
      }
      #expect(folder.has("real/a.jpg") && folder.has("real/below/a.jpg"))
      #expect(try Facecrop.run("crop", "a.jpg", "-o", "link/inner/../x.jpg", currentDirectory: folder.path).status == 0)
      #expect(folder.has("real/x.jpg"))
    }
  }

  /// A link with an output's name is not our output. `--overwrite` replaces the link, and not its target.
  @Test func aLinkInAnOutputsPlaceIsReplaced() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare(
        "mkdir out; ln -s ../victim out/a.jpg; ln -s /dev/full out/b.jpg; ln -s nowhere out/c.jpg", in: folder)
      try folder.write("precious", to: "victim")
      for name in ["a.jpg", "b.jpg", "c.jpg"] { try folder.write(Samples.portrait(), to: name) }
      let run = ["batch", "a.jpg", "b.jpg", "c.jpg", "-d", "out", "--size", "32"]
      #expect(try Facecrop.run(run, currentDirectory: folder.path).status == 0)
      let links = try Facecrop.bash("stat -c %F out/?.jpg", currentDirectory: folder.path).lines
      #expect(links == Array(repeating: "symbolic link", count: 3))
      let outcome = try Facecrop.run(run + ["--overwrite"], currentDirectory: folder.path)
      #expect(outcome.status == 0)
      #expect(try folder.text("victim") == "precious")
      let kinds = try Facecrop.bash("stat -c %F out/?.jpg", currentDirectory: folder.path).lines
      #expect(kinds == Array(repeating: "regular file", count: 3))
      #expect(!folder.has("out/nowhere"))
    }
  }

  /// A pipe without a reader would block the run.
  @Test func aPipeInAnOutputsPlaceIsRefused() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir -p out linked; mkfifo out/a.jpg; ln -s ../linked out/b.jpg", in: folder)
      for name in ["a.jpg", "b.jpg"] { try folder.write(Samples.portrait(), to: name) }
      let outcome = try Facecrop.run(
        ["batch", "a.jpg", "b.jpg", "-d", "out", "--size", "32"], currentDirectory: folder.path, timeout: 60)
      #expect(outcome.status == 1)
      #expect(try folder.manifest().reason("a.jpg").message.contains("a pipe"))
      #expect(try folder.manifest().reason("b.jpg").message.contains("a folder"))
    }
  }

  /// A link replaces the folder after it was checked.
  @Test func aFolderThatIsExchangedMeanwhileIsNotFollowed() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir -p out/sub elsewhere", in: folder)
      let output = try OutputFolder(FilePath(folder / "out"))
      let first = try output.file("sub/a.jpg", gate: WriteGate(input: nil))
      let second = try output.file("b.jpg", gate: WriteGate(input: nil))
      try Facecrop.prepare(
        "mv out/sub kept; ln -s ../elsewhere out/sub; mv out moved; ln -s elsewhere out", in: folder)
      try first.commit([1])
      try second.commit([2])
      #expect(throws: FileError.self) { _ = try output.file("sub/c.jpg", gate: WriteGate(input: nil)) }
      #expect(try folder.bytes("kept/a.jpg") == [1])
      #expect(try folder.bytes("moved/b.jpg") == [2])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder / "elsewhere").isEmpty)
    }
  }
}
