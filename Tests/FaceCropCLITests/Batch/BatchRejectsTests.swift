import Foundation
import TestSupport
import Testing

/// `batch --reject-dir`, and the warnings of a batch.
@Suite struct BatchRejectsTests {
  private static let run = "\"$FACECROP\" batch -r in -d out --preset avatar --size 48"

  private static func prepare(_ folder: TemporaryFolder) throws {
    try Facecrop.prepare("mkdir in", in: folder)
    try folder.write(Samples.portrait(), to: "in/a.jpg")
    try folder.write(Samples.faceless(), to: "in/wall.jpg")
    try folder.write(Array("no image".utf8), to: "in/text.jpg")
  }

  @Test func laterRunsCollectTheRejectedInputs() throws {
    try TemporaryFolder.with { folder in
      try Self.prepare(folder)
      let outcome = try Facecrop.bash(
        "\(Self.run) --progress none; \(Self.run) --progress none --reject-dir bad; ls bad",
        currentDirectory: folder.path)
      #expect(outcome.lines == ["text.jpg", "wall.jpg"], "\(outcome.stderr)")
    }
  }

  /// An input above a limit can be larger than memory. On another file system, it is copied in blocks.
  @Test(.enabled(if: Facecrop.canMeasureMemory && FileManager.default.isWritableFile(atPath: "/dev/shm")))
  func largeRejectedInputsTakeNoMemory() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in; truncate -s 96M in/big.jpg", in: folder)
      let rejects = "/dev/shm/facecrop-tests-\(UUID().uuidString)"
      defer { try? FileManager.default.removeItem(atPath: rejects) }
      // The second run finds the copy of the first.
      for _ in 0..<2 {
        let (status, bytes) = try Facecrop.peakMemory([
          "batch", "-r", folder / "in", "-d", folder / "out", "--max-file-size", "1MiB", "--reject-dir", rejects,
        ])
        #expect(status == 1 && bytes < 80 << 20, "\(bytes)")
        #expect(FileManager.default.contentsEqual(atPath: folder / "in/big.jpg", andPath: rejects + "/big.jpg"))
        #expect(try !folder.text("out/manifest.ndjson").contains("another file"))
      }
    }
  }

  @Test func theInputFolderIsNoFolderOfRejectedInputs() throws {
    try TemporaryFolder.with { folder in
      try Self.prepare(folder)
      let outcome = try Facecrop.bash("\(Self.run) --reject-dir in; echo $?; ls", currentDirectory: folder.path)
      #expect(outcome.lines == ["64", "in"] && outcome.stderr.contains("--reject-dir"), "\(outcome.stderr)")
    }
  }

  /// A foreign file stays, and the input that is missing for it is named and counted.
  @Test func aRejectedInputWithoutAPlaceIsNamed() throws {
    try TemporaryFolder.with { folder in
      try Self.prepare(folder)
      let outcome = try Facecrop.bash(
        "mkdir bad; echo mine > bad/wall.jpg; \(Self.run) --reject-dir bad; cat bad/wall.jpg",
        currentDirectory: folder.path)
      #expect(outcome.lines == ["mine"])
      #expect(outcome.stderr.contains("facecrop: in/wall.jpg: warning: the input was not added"), "\(outcome.stderr)")
      #expect(outcome.stderr.contains("warning   1  rejects"), "\(outcome.stderr)")
    }
  }

  @Test func aBrokenLinkIsNamed() throws {
    try TemporaryFolder.with { folder in
      try Self.prepare(folder)
      let outcome = try Facecrop.bash(
        "ln -s nowhere in/link.jpg; \(Self.run) --reject-dir bad; ls bad", currentDirectory: folder.path)
      #expect(!outcome.lines.contains("link.jpg"))
      #expect(outcome.stderr.contains("facecrop: in/link.jpg: warning: the input was not added"), "\(outcome.stderr)")
    }
  }

  /// A list from Windows may have empty lines, and begin with a byte-order mark.
  @Test(arguments: ["a.jpg\\r\\n\\r\\n", "\\xef\\xbb\\xbfa.jpg\\r\\n", "\\xef\\xbb\\xbfa.jpg\\0"])
  func emptyLinesNameNoInput(list: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        "printf '\(list)' > list; \"$FACECROP\" batch --from-list list -d out --size 32 --json; echo $?",
        currentDirectory: folder.path)
      #expect(outcome.lines.last == "0" && outcome.lines.first?.contains("\"total\":1") == true, "\(outcome.stderr)")
    }
  }

  /// The summary counts the inputs with each kind of warning, also those of earlier runs.
  @Test func theSummaryCountsWarnings() throws {
    try TemporaryFolder.with { folder in
      try Self.prepare(folder)
      let run = "\"$FACECROP\" batch in/a.jpg -d out --preset avatar --size 2000 --json"
      let outcome = try Facecrop.bash("\(run); \(run)", currentDirectory: folder.path)
      #expect(outcome.errorLines.count { $0 == "warning   1  smaller" } == 2, "\(outcome.stderr)")
      for line in outcome.lines { #expect(try jsonObject(line)["warnings"] as? [String: Int] == ["smaller": 1]) }
      #expect(try folder.manifest().entries["in/a.jpg"]?["warningKinds"] as? [String] == ["smaller"])
    }
  }

  @Test func warnsWithoutInputs() throws {
    let outcome = try Facecrop.run("batch", "--from-list", "-", "-d", "/nonexistent/out")
    #expect(outcome.status == 0 && outcome.stderr.contains("warning: no files to crop"), "\(outcome.stderr)")
  }
}
