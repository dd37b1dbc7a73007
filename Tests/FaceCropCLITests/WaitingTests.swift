import Foundation
import TestSupport
import Testing

/// Reading of pipes, which never waits forever.
@Suite struct WaitingTests {
  @Test(arguments: [
    "crop pipe.jpg -o out.jpg", "crop pipe.jpg", "avatar pipe.jpg -o out.jpg",
    "crop a.jpg -o out.jpg --plan-in pipe.jpg",
    "batch a.jpg -d out --from-list pipe.jpg", "batch a.jpg -d out --plan-in pipe.jpg", "info pipe.jpg",
    "crop - -o out.jpg <> pipe.jpg", "crop a.jpg -o out.jpg --plan-in - <> pipe.jpg",
  ])
  func timeIsLimited(command: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      try Facecrop.prepare("mkfifo pipe.jpg", in: folder)
      let outcome = try Facecrop.bash(
        "facecrop \(command) --timeout 0.5", currentDirectory: folder.path, timeout: 60)
      #expect(outcome.status == 1)
      let name = command.contains("<>") ? "standard input" : "pipe.jpg"
      #expect(outcome.stderr.hasPrefix("facecrop: \(name): "), "\(outcome.stderr)")
      #expect(outcome.stderr.contains("limit of 0.5 s (raise it with --timeout 2)"))
      #expect(!folder.has("out.jpg"))
    }
  }

  /// Such a failure does not stop the other inputs.
  @Test func othersGoOn() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      try Facecrop.prepare("mkfifo pipe.jpg", in: folder)
      let outcome = try Facecrop.run(
        ["detect", "pipe.jpg", "a.jpg", "--timeout", "5"], currentDirectory: folder.path, timeout: 60)
      #expect(try outcome.lines.map { try DetectJSON($0).error?.kind } == ["limit", nil])
    }
  }

  @Test func slowWritersAreHeard() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        """
        slowly() { for i in 0 1 2 3 4 5; do tail -c +$((i * 30000 + 1)) "$1" | head -c 30000; sleep 0.3; done; }
        [ $(slowly a.jpg | wc -c) -ge $(wc -c < a.jpg) ] || echo 'too large'
        slowly a.jpg | facecrop crop - -o piped.jpg --size 32; echo $?
        facecrop crop <(slowly a.jpg) -o substituted.jpg --size 32; echo $?
        mkfifo pipe; (sleep 0.5; slowly a.jpg > pipe) &
        facecrop crop pipe -o named.jpg --size 32; echo $?
        facecrop crop <(cat a.jpg) -o cat.jpg --size 32 --plan-out plan.json; echo $?
        facecrop crop a.jpg -o planned.jpg --size 32 --plan-in <(sleep 0.3; cat plan.json); echo $?
        facecrop crop a.jpg -o file.jpg --size 32; sha256sum ????*.jpg | cut -c-64 | sort -u | wc -l
        facecrop batch --from-list <(echo a.jpg; sleep 0.7; echo file.jpg) -d out --size 32 --timeout 1 2> err; echo $?
        (echo a.jpg; sleep 1.5; echo file.jpg) | facecrop batch --from-list - -d out --size 32 --timeout 1 2> err; echo $?
        ls out
        """, currentDirectory: folder.path)
      #expect(
        outcome.lines == ["0", "0", "0", "0", "0", "1", "0", "0", "a.jpg", "file.jpg", "manifest.ndjson"],
        "\(outcome.stderr)")
    }
  }

  // MARK: Truncated files

  /// If another program truncates a file while it is read, only that file fails.
  @Test(arguments: [["detect"], ["info", "--json"]])
  func cutShortInputsFailAlone(command: [String]) throws {
    try TemporaryFolder.with { folder in
      // The header extends past the first page.
      let recipe = JPEGRecipe.baseline420.with { $0.segments = [.app(5, [UInt8](repeating: 7, count: 60_000))] }
      let jpeg = try recipe.encode(astronaut())
      for name in ["a.jpg", "cut.jpg", "b.jpg"] { try folder.write(jpeg, to: name) }
      let source = #filePath.replacing("FaceCropCLITests/WaitingTests.swift", with: "Support/Poison/poison.c")
      let outcome = try Facecrop.bash(
        """
        clang -shared -fPIC -O1 -o poison.so '\(source)'
        LD_PRELOAD=$PWD/poison.so "$FACECROP" \(command.joined(separator: " ")) a.jpg cut.jpg b.jpg
        """, currentDirectory: folder.path)
      #expect(outcome.status == 1)
      let lines = try outcome.lines.map(DetectJSON.init)
      #expect(lines.map(\.file) == ["a.jpg", "cut.jpg", "b.jpg"])
      #expect(lines.map { $0.error?.kind } == [nil, "unreadable", nil])
      #expect(lines.count == 3 && lines[1].error?.message.contains("another program") == true)
      #expect(try folder.bytes("cut.jpg").count == 4_096)
    }
  }

  /// A pipe in the place of a report could wait for its reader forever.
  @Test func aReportIsNoPipe() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        "mkfifo report.html; timeout 60 \"$FACECROP\" batch a.jpg -d out --report report.html",
        currentDirectory: folder.path
      )
      #expect(outcome.status == 1 && outcome.stderr.contains("is a pipe, not a regular file"), "\(outcome.stderr)")
    }
  }
}
