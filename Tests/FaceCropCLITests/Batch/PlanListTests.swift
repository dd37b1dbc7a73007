import Foundation
import TestSupport
import Testing

/// Lists of plans: what `batch` writes into them, and what people changed.
@Suite struct PlanListTests {
  private static let look = "\"$FACECROP\" batch --preset avatar --dry-run --plan-out list.ndjson"
  /// Moves the frame of in/a.jpg in the list.
  private static let correct =
    #"sed -E '/in\/a.jpg/s/"region":\{[^}]*\}/"region":{"x":0,"y":0,"width":0.5,"height":0.5}/' list.ndjson > hand.ndjson"#

  private func prepare(_ folder: TemporaryFolder) throws {
    try Facecrop.prepare("mkdir in", in: folder)
    try folder.write(Samples.portrait(), to: "in/a.jpg")
    try folder.write(Samples.portrait() + [1], to: "in/b.jpg")
  }

  private func run(_ script: String, _ folder: TemporaryFolder) throws -> Facecrop.Outcome {
    try Facecrop.bash(
      "crop() { \"$FACECROP\" batch -d out --size 64 --progress none \"$@\"; echo $?; }\n\(script)",
      currentDirectory: folder.path)
  }

  @Test func aDryRunWritesItsListAnew() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try run(
        "for name in a b; do \(Self.look) in/$name.jpg > /dev/null; grep -o 'in/..jpg' list.ndjson; done", folder)
      #expect(outcome.lines == ["in/a.jpg", "in/b.jpg"], "\(outcome.stderr)")
    }
  }

  /// A later line of an image would count instead of the corrected one.
  @Test func aCorrectedListIsNotWrittenTo() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try run(
        """
        \(Self.look) -r in > /dev/null; \(Self.correct); cp hand.ndjson list.ndjson
        \(Self.look) -r in > /dev/null; echo $?; crop -r in --plan-out list.ndjson; cmp list.ndjson hand.ndjson; ls
        """, folder)
      #expect(outcome.lines == ["1", "1", "hand.ndjson", "in", "list.ndjson", "out"], "\(outcome.stderr)")
      #expect(outcome.errorLines.count { $0.hasPrefix("facecrop: list.ndjson: line ") } == 2, "\(outcome.stderr)")
    }
  }

  /// A run that writes the corrected plans again can be repeated; only a new list would lose them.
  @Test func aListWithAppliedCorrectionsIsGoneOnWith() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try run(
        """
        \(Self.look) -r in > /dev/null; \(Self.correct)
        for i in 1 2; do crop -r in --preset avatar --plan-in hand.ndjson --plan-out own.ndjson; wc -l < own.ndjson; done
        cp own.ndjson list.ndjson; \(Self.look) -r in > /dev/null; echo $?; cmp own.ndjson list.ndjson
        """, folder)
      #expect(outcome.lines == ["0", "3", "0", "3", "1"], "\(outcome.stderr)")
    }
  }

  /// The guide's recipe, and then another preset: only the edited plan is a correction.
  @Test func plansThatNobodyEditedAreNoCorrections() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try run(
        """
        \(Self.look) -r in > /dev/null; crop --plan-in list.ndjson --preset avatar; cp out/b.jpg b.jpg
        crop -r in --preset portrait; cmp -s out/b.jpg b.jpg || echo other
        \(Self.correct); crop -r in --preset avatar --plan-in hand.ndjson; crop -r in --preset portrait
        """, folder)
      #expect(outcome.lines == ["0", "0", "other", "0", "1"], "\(outcome.stderr)")
      let messages = outcome.errorLines.filter { $0.hasPrefix("facecrop: ") }
      #expect(messages.count == 1 && messages[0].hasPrefix("facecrop: in/a.jpg: its corrected frame "), "\(messages)")
      #expect(try folder.manifest().status("in/b.jpg") == "cropped")
    }
  }

  /// A program writes the same numbers in another form.
  @Test func aListThatWasOnlyReformattedIsUnedited() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      try Facecrop.prepare("\(Self.look) -r in", in: folder)
      let lines = try folder.text("list.ndjson").split(separator: "\n").map { line in
        let data = try JSONSerialization.data(withJSONObject: jsonObject(String(line)))
        return String(decoding: data, as: UTF8.self)
      }
      try folder.write(lines.joined(separator: "\n") + "\n", to: "again.ndjson")
      let outcome = try run("crop --plan-in again.ndjson --preset avatar; crop -r in --preset portrait", folder)
      #expect(outcome.lines == ["0", "0"], "\(outcome.stderr)")
    }
  }

  /// A list without digests, from an older version or a program, is applied as a person's.
  @Test func plansWithoutDigestsAreCorrections() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try run(
        #"""
        \#(Self.look) -r in > /dev/null; sed -E 's/"digest":"[0-9a-f]*",//' list.ndjson > old.ndjson; grep -c digest old.ndjson
        crop --plan-in old.ndjson --preset avatar; crop -r in --preset portrait
        """#, folder)
      #expect(outcome.lines == ["0", "0", "1"], "\(outcome.stderr)")
      let reason = try folder.manifest().reason("in/b.jpg")
      #expect(reason.kind == "correction" && reason.message.contains("correct the frame again"), "\(reason)")
    }
  }

  /// An image that was rejected, and changed then, has neither a frame nor an output.
  @Test func aRejectedImageThatChangesIsSaidToBeOne() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try run(
        #"""
        \#(Self.look) in/a.jpg > /dev/null; sed -E 's/"crops":.*\}\],"detector/"crops":[],"detector/' list.ndjson > hand.ndjson
        crop -r in --preset avatar --plan-in hand.ndjson; echo changed >> in/a.jpg; crop -r in --preset avatar
        crop -r in --preset avatar --overwrite
        """#, folder)
      #expect(outcome.lines == ["0", "1", "0"], "\(outcome.stderr)")
      #expect(
        outcome.errorLines.contains { $0.hasPrefix("facecrop: in/a.jpg: it was rejected, but the file was changed") },
        "\(outcome.stderr)")
      #expect(!outcome.stderr.contains("its output was kept") && folder.has("out/a.jpg"))
    }
  }

  @Test func aListOfAnotherFolderIsSaidToBeOne() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try run(
        "\(Self.look) -r in > /dev/null; mkdir other; cd other; crop --plan-in ../list.ndjson", folder)
      #expect(outcome.lines == ["1"])
      #expect(
        outcome.errorLines.contains {
          $0.hasPrefix("facecrop: ../list.ndjson: warning: 2 images are missing (relative names")
        }, "\(outcome.stderr)")
      #expect(!outcome.stderr.contains("another image"), "\(outcome.stderr)")
    }
  }

  /// A damaged line of a manifest may have been that of a correction.
  @Test func invalidLinesOfAManifestAreSaidToBeThere() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try run(
        "crop -r in; sed -i '2s/^./x/' out/manifest.ndjson; echo >> out/manifest.ndjson; crop -r in; crop -r in", folder
      )
      #expect(outcome.lines == ["0", "0", "0"])
      #expect(outcome.errorLines.count == 2, "\(outcome.stderr)")
      #expect(
        outcome.stderr.hasPrefix("facecrop: out/manifest.ndjson: warning: 1 line is invalid"), "\(outcome.stderr)")
    }
  }

  @Test func anEmptyListIsAnError() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try run(
        """
        : > list.ndjson; crop in/a.jpg --plan-in list.ndjson
        echo '{"format":"facecrop-plans","version":1}' > list.ndjson; crop in/a.jpg --plan-in list.ndjson
        """, folder)
      #expect(outcome.lines == ["1", "0"], "\(outcome.stderr)")
      #expect(outcome.errorLines == ["facecrop: list.ndjson: the plan list is empty (write it again with --plan-out)"])
    }
  }

  /// A square that a person has scaled gives a square output, also in single commands. Its sides begin at a pixel of the
  /// 512, and between two of them, so that rounding outward would make it higher than wide.
  @Test func aScaledSquareStaysSquare() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        """
        facecrop avatar in/a.jpg -o a.jpg --size 64 --plan-out a.json
        region='{"x":0.30078125,"y":0.0576,"width":0.328125,"height":0.328125}'
        sed -E 's/"region":[^}]*[}]/"region":'"$region"'/' a.json > b.json
        echo '{"input":"in/a.jpg","plan":'"$(tr -d '\n' < b.json)"'}' > list.ndjson
        facecrop batch in/a.jpg -d out --preset avatar --size 600 --upscale --plan-in list.ndjson
        facecrop avatar in/a.jpg -o b.jpg --size 600 --upscale --plan-in b.json
        for name in out/a.jpg b.jpg; do facecrop info $name --json | grep -oE '"(width|height)":[0-9]+' | sort; done
        """, currentDirectory: folder.path)
      let square = ["\"height\":600", "\"width\":600"]
      #expect(outcome.lines == square + square, "\(outcome.stderr)")
    }
  }

  /// Nobody rejected these images: the search found no face of that size in them.
  @Test func anUneditedPlanWithoutCropsCountsAsNoFace() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch in/a.jpg --preset avatar --faces each --min-face 400 --no-face skip --json "$@" |
          grep -oE '"(noFace|rejected)":.'; }
        run -d look --dry-run --plan-out list.ndjson; run -d out --plan-in list.ndjson; run -d out; run -d other
        grep -ho '"reason":{[^}]*}' {out,other}/manifest.ndjson
        """, currentDirectory: folder.path)
      let reason =
        #""reason":{"kind":"no-face","message":"no face is at least 400 pixels high; nothing was written (lower --min-face)"}"#
      #expect(
        outcome.lines == Array(repeating: #""noFace":1"#, count: 4) + [reason, reason], "\(outcome.stderr)")
    }
  }

  /// A search for a renamed image reads no file that is too large to be one.
  @Test(.enabled(if: Facecrop.canMeasureMemory)) func tooLargeFilesAreNotSearched() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      try Facecrop.prepare(
        """
        mkdir one; mv in/a.jpg one; "$FACECROP" batch -r one -d look --dry-run --plan-out list.ndjson --preset avatar
        mv one/a.jpg one/b.jpg; truncate -s 128M one/big.jpg
        """, in: folder)
      let (status, bytes) = try Facecrop.peakMemory([
        "batch", "-r", folder / "one", "-d", folder / "out", "--plan-in", folder / "list.ndjson", "--preset", "avatar",
        "--max-file-size", "8MiB",
      ])
      #expect(status == 1 && bytes < 112 << 20, "\(bytes)")
      #expect(folder.has("out/b.jpg"))
    }
  }

  /// A list that never ends is refused.
  @Test(arguments: ["--plan-in", "--from-list"]) func endlessListsAreRefused(option: String) throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        "timeout 120 \"$FACECROP\" batch in/a.jpg -d out \(option) /dev/zero", currentDirectory: folder.path)
      #expect(outcome.status == 1 && outcome.stderr.contains(" MiB"), "\(outcome.stderr)")
    }
  }

  @Test func aSingleCropSaysThatAListIsOne() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try run(
        """
        \(Self.look) -r in > /dev/null; tail -n 1 list.ndjson > line.ndjson
        for name in list line; do "$FACECROP" crop in/a.jpg -o a.jpg --plan-in $name.ndjson; echo $?; done
        """, folder)
      #expect(outcome.lines == ["1", "1"])
      #expect(outcome.errorLines.count { $0.contains("the file is a list of plans") } == 2, "\(outcome.stderr)")
    }
  }
}
