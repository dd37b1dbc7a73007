import TestSupport
import Testing

/// Outputs that somebody changed are named, wherever they are kept.
@Suite struct KeptOutputsTests {
  private static let run =
    "run() { \"$FACECROP\" batch -r in -d out --preset avatar --size 64 --json --progress \"$@\" | grep -o '\"kept\":.'; }"

  private func prepare(_ folder: TemporaryFolder) throws {
    try Facecrop.prepare("mkdir in", in: folder)
    try folder.write(Samples.portrait(), to: "in/a.jpg")
    try folder.write(Samples.portrait() + [1], to: "in/b.jpg")
  }

  /// Its name is outdated, its image has another name now, or it was rejected. A change of the same size counts, too.
  @Test(
    arguments: [
      ("--format webp", ""), ("", "mv in/a.jpg in/c.jpg"), ("--name '{stem}-x.jpg'", ""),
      (
        "--plan-in rejected.ndjson",
        #"""
        "$FACECROP" batch in/a.jpg --preset avatar --dry-run --plan-out list.ndjson > /dev/null
        sed -E 's/"crops":.*\}\],"detector/"crops":[],"detector/' list.ndjson > rejected.ndjson
        """#
      ),
    ] as [(String, String)],
    ["echo x >> out/a.jpg", "printf x | dd of=out/a.jpg bs=1 seek=300 conv=notrunc 2> /dev/null"])
  func aChangedOutputThatIsNotWrittenIsNamed(change: (options: String, script: String), edit: String) throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        """
        \(Self.run); run none; \(edit); cp out/a.jpg mine; \(change.script)
        run auto \(change.options) --prune; run json \(change.options) --prune 2> events; cmp out/a.jpg mine
        grep -o '"file":"[^"]*","kind":"kept"' events
        """, currentDirectory: folder.path)
      #expect(
        outcome.lines == ["\"kept\":0", "\"kept\":1", "\"kept\":1", "\"file\":\"out/a.jpg\",\"kind\":\"kept\""],
        "\(outcome.stderr)")
      #expect(
        outcome.errorLines.contains { $0.hasPrefix("facecrop: out/a.jpg: warning: this run does not write the file") },
        "\(outcome.stderr)")
      #expect(outcome.errorLines.contains { $0.hasPrefix("kept      1 output of earlier runs") }, "\(outcome.stderr)")
    }
  }

  /// What `--overwrite` replaces is named and counted once: an edited output, and a file of somebody else.
  @Test func replacedFilesAreNamed() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch -r in -d out --preset avatar --json "$@" | grep -o '"kept":.\\|"replaced":.'; }
        run --size 64 2> /dev/null; run --size 48 --overwrite; echo x >> out/a.jpg; run --size 48 --overwrite
        run --size 48 --overwrite; run --size 48; rm out/manifest.ndjson; run --size 64 --overwrite
        """, currentDirectory: folder.path)
      let (kept, one) = ("\"kept\":0", "\"replaced\":1")
      #expect(outcome.lines == [kept, kept, kept, one, kept, kept, kept, "\"replaced\":2"], "\(outcome.stderr)")
      let named = outcome.errorLines.filter { $0.contains("and was replaced") }
      #expect(named.count == 3 && named[0].hasPrefix("facecrop: out/a.jpg: warning: "), "\(outcome.stderr)")
      #expect(outcome.errorLines.count { $0.hasPrefix("replaced  1 file that") } == 1, "\(outcome.stderr)")
    }
  }

  /// The retouched photo of one person is never recorded as that of another, who gets the output's name.
  @Test func aChangedOutputIsOfItsOwnImage() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      try folder.write(Samples.portrait(), to: "in/a.jpg")
      try folder.write(Samples.portrait() + [1], to: "in/a.png")
      let options = "--format jpeg --on-collision number --prune"
      let outcome = try Facecrop.bash(
        """
        \(Self.run); run none \(options); echo x >> out/a.jpg; cp out/a.jpg mine; rm in/a.jpg; run none \(options)
        cmp out/a.jpg mine; ls out
        """, currentDirectory: folder.path)
      #expect(
        outcome.lines == ["\"kept\":0", "\"kept\":1", "a-2.jpg", "a.jpg", "manifest.ndjson"], "\(outcome.stderr)")
      #expect(outcome.stderr.contains("facecrop: in/a.png: the output 'a.jpg' was made of 'in/a.jpg'"))
      #expect(try folder.manifest().reason("in/a.png").kind == "taken")
      let given = try Facecrop.bash(
        "\(Self.run); run none \(options) --overwrite; ls out", currentDirectory: folder.path)
      #expect(given.lines == ["\"kept\":0", "a.jpg", "manifest.ndjson"], "\(given.stderr)")
    }
  }

  /// A card of another day has the same names. A photo that was touched or copied is still the same.
  @Test(arguments: ["cp new.jpg in/a.jpg", "mv in/a.jpg in/b.jpg; cp new.jpg in/a.jpg"])
  func aChangedOutputIsNotOfAnotherImageOfItsName(change: String) throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      try folder.write(Samples.portrait() + [1, 2], to: "new.jpg")
      let outcome = try Facecrop.bash(
        """
        \(Self.run); run none; echo x >> out/a.jpg; cp out/a.jpg mine
        \(change); run none; run none --prune; cmp out/a.jpg mine
        """, currentDirectory: folder.path)
      #expect(try folder.manifest().reason("in/a.jpg").kind == "taken", "\(outcome.stderr)")
      #expect(outcome.stderr.contains("of an earlier file of this name"), "\(outcome.stderr)")
      #expect(!outcome.text.contains("differ"), "\(outcome.text)")
    }
  }

  /// The image was moved or copied, so the changed output is still its own.
  @Test(arguments: ["touch in/a.jpg", "cp -r in x; rm -r in; ln -s x in", "mkdir x; mv in x; ln -s x/in in"])
  func aChangedOutputOfAMovedImageIsKept(change: String) throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        "\(Self.run); run none; echo x >> out/a.jpg; cp out/a.jpg mine; \(change); run none --quality 70; cmp out/a.jpg mine",
        currentDirectory: folder.path)
      #expect(outcome.lines == ["\"kept\":0", "\"kept\":1"], "\(outcome.stderr)")
    }
  }

  @Test func theReportShowsThem() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        "\(Self.run); run none; echo x >> out/a.jpg; run none --report r.html; grep -c '\"kept\":true' r.html",
        currentDirectory: folder.path)
      #expect(outcome.lines == ["\"kept\":0", "\"kept\":1", "1"], "\(outcome.stderr)")
    }
  }

  @Test func pruningRemovesFoldersThatAreEmptyThen() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      try folder.write(Samples.faceless(), to: "in/wall.jpg")
      let outcome = try Facecrop.bash(
        """
        \(Self.run); run none --no-face-dir none/deep; mkdir out/own; ls out; run none --prune; ls out
        """, currentDirectory: folder.path)
      let names = ["a.jpg", "b.jpg", "manifest.ndjson"]
      #expect(
        outcome.lines == ["\"kept\":0"] + names + ["none", "own", "\"kept\":0"] + names + ["own"], "\(outcome.stderr)")
    }
  }

  /// The retouched photo of one face never stands for another face of the same image. The image fails before anything is
  /// written, until somebody moves that file or gives it up.
  @Test(
    arguments: [
      ("--faces each", "--faces each --order size", "two-1.jpg"),
      ("--faces each --names a.csv", "--faces each --names b.csv", "Ann.jpg"),
      ("--faces each --size 64,32", "--faces each --size 64,32 --order size", "two-2-32.jpg"),
      (
        "--faces each --metadata keep --sidecar", "--faces each --metadata keep --sidecar --order size", "two-1.jpg.xmp"
      ),
      ("--names a.csv --faces each --format webp", "--names b.csv --faces each --format webp", "Bo.webp"),
    ] as [(String, String, String)])
  func aChangedOutputIsOfItsOwnFace(first: String, second: String, output: String) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      try folder.write(JPEGRecipe.baseline420.encode(Samples.smallAndLargeFace()), to: "in/two.jpg")
      try folder.write(
        CreditBuilder.packet(attributes: "", properties: "<dc:title>Both</dc:title>"), to: "in/two.xmp")
      try folder.write("two.jpg,Ann,Bo\n", to: "a.csv")
      try folder.write("two.jpg,Bo,Ann\n", to: "b.csv")
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch -r in --preset avatar --progress none "$@"; echo $?; }
        files() { (cd $1; sha256sum $(ls | grep -v manifest)); }
        [[ "\(first)" = *--size* ]] || size="--size 64"
        run $size \(first) -d out; echo x >> out/\(output); files out > before
        run $size \(second) -d out; files out | diff before - && echo same
        mv out/\(output) mine; run $size \(second) -d out; run $size \(second) -d new
        diff <(files out) <(files new) && echo right
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["0", "1", "same", "0", "0", "right"], "\(outcome.lines) \(outcome.stderr)")
      let failed = try #require(folder.manifest().lines.first { $0["status"] as? String == "failed" })
      let reason = try #require(failed["reason"] as? [String: Any])
      #expect(reason["kind"] as? String == "taken" && failed["outputs"] == nil)
      #expect((reason["message"] as? String)?.contains("'\(output)' shows another face of this image") == true)
    }
  }

  /// The output of the same face stays under other options, and `--overwrite` gives the one of another face up.
  @Test func aChangedOutputOfTheSameFaceIsKept() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      try folder.write(JPEGRecipe.baseline420.encode(Samples.smallAndLargeFace()), to: "in/two.jpg")
      let outcome = try Facecrop.bash(
        """
        \(Self.run); run none --faces each; echo x >> out/two-1.jpg; cp out/two-1.jpg mine
        run none --faces each --quality 70; run none --faces each --face-ratio 0.4 --align; cmp out/two-1.jpg mine
        run none --faces each --order size --overwrite; cmp -s out/two-1.jpg mine || echo made
        """, currentDirectory: folder.path)
      #expect(
        outcome.lines == ["\"kept\":0", "\"kept\":1", "\"kept\":1", "\"kept\":0", "made"], "\(outcome.stderr)")
    }
  }

  /// Outputs of an image that fails under new options are still those of the old ones.
  @Test func outputsOfFailedImagesAreCounted() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch -r in -d out --preset avatar --json "$@" | grep -o '"keptOfFailed":.'; }
        run --size 64; run --size 48 --max-pixels 100 --prune; run --size 48 --max-pixels 100 --prune; ls out
        run --size 48 --retry; true
        """, currentDirectory: folder.path)
      let two = "\"keptOfFailed\":2"
      #expect(outcome.lines == [two, two, "a.jpg", "b.jpg", "manifest.ndjson"], "\(outcome.stderr)")
      #expect(
        outcome.errorLines.contains("kept      2 outputs of earlier runs, because their images failed"),
        "\(outcome.stderr)")
    }
  }

  /// A few outputs that this run would not write are named, and many are counted.
  @Test(arguments: [(1, true), (4, false)]) func fewLeftOutputsAreNamed(count: Int, areNamed: Bool) throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let names = (0..<count).map { "x\($0).jpg" }
      let outcome = try Facecrop.bash(
        """
        for name in \(names.joined(separator: " ")); do cp in/a.jpg in/$name; done
        run() { "$FACECROP" batch -r in -d out --preset avatar --size 64; }
        run; rm in/x*; run 2>&1 | grep "this run would not write"
        """, currentDirectory: folder.path)
      let line = outcome.lines.last ?? ""
      #expect(line.hasPrefix("\(count) output") || line.contains(" \(count) output"), "\(line)")
      #expect(names.allSatisfy(line.contains) == areNamed, "\(line)")
    }
  }

  /// A name that passed to another image is no output of the failed one.
  @Test func aNamePassesToAnotherImage() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch -r in -d out --preset avatar --size 64 --names n.csv --json; }
        printf 'a.jpg,Ann\nb.jpg,Bea\n' > n.csv; run > /dev/null; echo x >> out/Bea.jpg
        printf 'a.jpg,Bea\nb.jpg,Ann\n' > n.csv; run | grep -o '"failed":.\\|"keptOfFailed":.'
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["\"failed\":1"], "\(outcome.lines) \(outcome.stderr)")
    }
  }
}
