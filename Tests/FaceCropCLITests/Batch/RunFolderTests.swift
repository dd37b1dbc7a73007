import TestSupport
import Testing

@testable import FaceCropCLI

/// Runs that write below the folder of their inputs, again and again.
@Suite struct RunFolderTests {
  private func prepare(_ folder: TemporaryFolder) throws {
    try Facecrop.prepare("mkdir p", in: folder)
    try folder.write(Samples.portrait(), to: "p/a.jpg")
    try folder.write(Samples.faceless(), to: "p/wall.jpg")
  }

  /// Nothing that a run writes beside its inputs is an input of the next run.
  @Test(
    arguments: [
      "-d out --report report.html", "-d out --report report.html --plan-out plans.ndjson", "-d out --reject-dir no",
      "-d out --no-face-dir no --report pages/report.htm", "-d ../out --report report.html --manifest m.ndjson",
      "-d ../out --plan-out sub/plans.ndjson --reject-dir sub/no",
    ])
  func theSameCommandHasTheSameInputs(options: String) throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        """
        cd p; mkdir sub
        for i in 1 2 3; do
          "$FACECROP" batch -r . --preset portrait --size 48 --progress none --json \(options) |
            grep -o '"doneBefore":[0-9]*\\|"total":[0-9]*'
        done
        """, currentDirectory: folder.path)
      let total = #""total":2"#
      #expect(
        outcome.lines == [#""doneBefore":0"#, total, #""doneBefore":2"#, total, #""doneBefore":2"#, total],
        "\(outcome.stderr)")
      #expect(outcome.errorLines.isEmpty, "\(outcome.stderr)")
    }
  }

  /// Two sets of outputs below the photos are no inputs of each other, and neither are their reports' thumbnails.
  @Test func outputsOfOtherRunsAreNoInputs() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch -r --size 48 --progress none --json "$@" | grep -o '"total":[0-9]*'; }
        for i in 1 2 3; do
          run p -d p/avatars --preset avatar --report p/avatars.html
          run p -d p/portraits --preset portrait --report p/portraits.html
        done
        """, currentDirectory: folder.path)
      // The other set's page is a file that is no image.
      #expect(outcome.lines == ["\"total\":2"] + Array(repeating: "\"total\":3", count: 5), "\(outcome.stderr)")
      let named = outcome.errorLines.filter { $0.contains("outputs of other runs") }
      #expect(named.count == 5 && named.allSatisfy { $0.contains("2 folders hold") }, "\(outcome.stderr)")
    }
  }

  /// A folder of outputs is an input if it is named, and a foreign file does not hide photos.
  @Test func namedFoldersAndThoseOfOthersAreInputs() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch -r --size 48 --progress none --json "$@" | grep -o '"total":[0-9]*'; }
        run p -d p/one > /dev/null; run p/one -d a; run p p/one -d b --on-collision number
        run p/one p -d c --on-collision number; run p -d d --shard 0/1; mv d p/d; run p -d e
        echo '{"format":"other","version":1}' > p/one/manifest.ndjson; run p -d f --on-collision number
        """, currentDirectory: folder.path)
      #expect(
        outcome.lines.map { String($0.last!) } == ["2", "4", "4", "2", "2", "4"],
        "\(outcome.lines) \(outcome.stderr)")
      let named = outcome.errorLines.map { $0.contains("outputs of other runs") }
      #expect(named == [true, true, true], "\(outcome.stderr)")
    }
  }

  /// `check` reads such folders, because it is for outputs.
  @Test func outputsAreChecked() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        """
        "$FACECROP" batch -r p -d all/one --preset avatar --size 48 --progress none
        "$FACECROP" check -r all
        """, currentDirectory: folder.path)
      #expect(outcome.text.contains("all/one/a.jpg"), "\(outcome.text) \(outcome.stderr)")
    }
  }

  @Test func anEmptyFolderIsTold() throws {
    try TemporaryFolder.with { folder in
      let outcome = try Facecrop.bash(
        """
        mkdir empty other; "$FACECROP" batch -r empty -d out; "$FACECROP" batch -r empty other -d out
        """, currentDirectory: folder.path)
      #expect(
        outcome.errorLines == [
          "facecrop: empty: warning: the folder has no images (name another folder)",
          "facecrop: empty, other: warning: the folders have no images (name other folders)",
        ])
    }
  }
}
