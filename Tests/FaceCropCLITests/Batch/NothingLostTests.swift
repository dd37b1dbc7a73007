import Foundation
import TestSupport
import Testing

@testable import FaceCropCLI

/// A later run never loses people's work and corrections.
@Suite struct NothingLostTests {
  private static let run = "\"$FACECROP\" batch -r in -d out --preset avatar --progress none"

  private static func prepare(_ folder: TemporaryFolder) throws {
    try Facecrop.prepare("mkdir in", in: folder)
    // The files differ, as two photos do.
    try folder.write(Samples.portrait(), to: "in/a.jpg")
    try folder.write(Samples.portrait() + [1], to: "in/b.jpg")
  }

  // MARK: Outputs

  @Test func anOutputThatWasRetouchedIsKept() throws {
    try TemporaryFolder.with { folder in
      try Self.prepare(folder)
      let outcome = try Facecrop.bash(
        """
        \(Self.run) --size 64; echo retouched > out/a.jpg; cp out/a.jpg mine
        for options in '--size 64' '--size 48 --json' '--size 48 --no-resume --json'; do
          \(Self.run) $options | grep -o '"kept":.'; cmp out/a.jpg mine && echo same
        done
        \(Self.run) --size 48 --overwrite --json | grep -o '"kept":.'; cmp -s out/a.jpg mine || echo replaced
        """, currentDirectory: folder.path)
      #expect(
        outcome.lines == ["same", "\"kept\":1", "same", "\"kept\":1", "same", "\"kept\":0", "replaced"],
        "\(outcome.stderr)")
      let named = outcome.errorLines.filter { $0.hasPrefix("facecrop: out/a.jpg: warning: ") }
      #expect(named.map { $0.contains("and was kept") } == [true, true, true, false], "\(named)")
    }
  }

  /// An editor or a person can leave a file of the same size.
  @Test func aChangeOfTheSameSizeIsSeenBeforeItIsReplaced() throws {
    try TemporaryFolder.with { folder in
      try Self.prepare(folder)
      let outcome = try Facecrop.bash(
        """
        \(Self.run) --size 64; printf x | dd of=out/a.jpg bs=1 seek=300 conv=notrunc 2> /dev/null; cp out/a.jpg mine
        \(Self.run) --size 48; cmp out/a.jpg mine && echo same
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["same"], "\(outcome.stderr)")
    }
  }

  @Test func filesOfOthersInTheOutputFolderAreKept() throws {
    try TemporaryFolder.with { folder in
      try Self.prepare(folder)
      try Facecrop.prepare("mkdir -p out none; echo mine > out/a.jpg; echo mine > none/wall.jpg", in: folder)
      try folder.write(Samples.faceless(), to: "in/wall.jpg")
      let outcome = try Facecrop.bash(
        "\(Self.run) --size 64 --reject-dir none; echo $?; cat out/a.jpg none/wall.jpg; file -b --mime-type out/b.jpg",
        currentDirectory: folder.path)
      #expect(outcome.lines == ["0", "mine", "mine", "image/jpeg"], "\(outcome.stderr)")
      #expect(outcome.stderr.contains("facecrop: out/a.jpg: warning: "))
      let output = try #require((folder.manifest().entries["in/a.jpg"]?["outputs"] as? [[String: Any]])?.first)
      #expect(output["kept"] as? Bool == true && output["sha256"] == nil)
    }
  }

  /// A run that was killed before it recorded its outputs is resumed without repeating them.
  @Test func outputsWithoutARecordThatAreTheSameAreTaken() throws {
    try TemporaryFolder.with { folder in
      try Self.prepare(folder)
      let outcome = try Facecrop.bash(
        """
        \(Self.run) --size 64; head -n 1 out/manifest.ndjson > m; mv m out/manifest.ndjson
        \(Self.run) --size 64 --json | grep -o '"kept":.'; grep -c sha256 out/manifest.ndjson
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["\"kept\":0", "2"], "\(outcome.stderr)")
    }
  }

  @Test(arguments: ["crop", "avatar", "sheet"])
  func noClobberKeepsAnExistingOutput(command: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(JPEGRecipe.baseline444.encode(Samples.twoFaces()), to: "in.jpg")
      let outcome = try Facecrop.bash(
        """
        echo mine > out.jpg; "$FACECROP" \(command) in.jpg -o out.jpg --no-clobber; echo $?; cat out.jpg
        "$FACECROP" \(command) in.jpg -o new.jpg --no-clobber; echo $?
        ln -s nowhere.jpg link.jpg; "$FACECROP" \(command) in.jpg -o link.jpg --no-clobber; echo $?
        "$FACECROP" \(command) in.jpg -o out.jpg; echo $?; file -b --mime-type out.jpg
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["1", "mine", "0", "1", "0", "image/jpeg"], "\(outcome.stderr)")
    }
  }

  /// It never writes some outputs before it finds an existing one.
  @Test func noClobberWritesAllOutputsOrNone() throws {
    try TemporaryFolder.with { folder in
      try folder.write(JPEGRecipe.baseline444.encode(Samples.twoFaces()), to: "in.jpg")
      let outcome = try Facecrop.bash(
        """
        echo mine > out-2-32.jpg
        "$FACECROP" avatar in.jpg -o out.jpg --faces each --size 64,32 --no-clobber; echo $?; ls out*; cat out*
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["1", "out-2-32.jpg", "mine"], "\(outcome.stderr)")
    }
  }

  // MARK: Inputs

  /// Every option that names an output file, with an input in its place under each of its names.
  @Test(arguments: ["--report", "--manifest", "--plan-out"], ["a.html", "./a.html", "link.html", "hard.html"])
  func noFileOfARunReplacesAnInput(option: String, name: String) throws {
    try TemporaryFolder.with { folder in
      for bytes in [try Samples.portrait(), []] {
        try folder.write(bytes, to: "a.html")
        try Facecrop.prepare("ln -sf a.html link.html; ln -f a.html hard.html", in: folder)
        let outcome = try Facecrop.run(
          "batch", "a.html", "-d", "out", "--size", "32", option, name, currentDirectory: folder.path)
        #expect(outcome.status == 1, "\(outcome.stderr)")
        #expect(try folder.bytes("a.html") == bytes && !folder.has("a-thumbnails"))
      }
    }
  }

  @Test func aReportReplacesAReportAlone() throws {
    try TemporaryFolder.with { folder in
      try Self.prepare(folder)
      let outcome = try Facecrop.bash(
        """
        echo mine > page.html; \(Self.run) --report page.html; echo $?; cat page.html; ls out | grep -v manifest
        \(Self.run) --report own.html; \(Self.run) --size 64 --report own.html; echo $?
        : > empty.html; \(Self.run) --size 64 --report empty.html; echo $?
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["1", "mine", "0", "0"], "\(outcome.stderr)")
    }
  }

  @Test func aPlanIsNotWrittenOverAnOutput() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run(
        "crop", "in.jpg", "-o", "out.jpg", "--plan-out", "./out.jpg", currentDirectory: folder.path)
      #expect(outcome.status == 1)
      #expect(try folder.bytes("out.jpg").starts(with: [0xFF, 0xD8]))
    }
  }

  // MARK: Corrections

  /// Runs a batch, and corrects one frame and rejects one.
  private static func correct(_ folder: TemporaryFolder) throws {
    try prepare(folder)
    try Facecrop.prepare("\(run) --size 64 --plan-out plans.ndjson", in: folder)
    let lines = try folder.text("plans.ndjson").split(separator: "\n")
    let (a, b) = try (
      #require(lines.first { $0.contains("in/a.jpg") }), #require(lines.first { $0.contains("in/b.jpg") })
    )
    let corner = #""region":{"x":0,"y":0,"width":0.5,"height":0.5}"#
    try folder.write(
      a.replacing(/"region":\{[^}]*\}/, with: corner) + "\n" + b.replacing(/"crops":\[.*?\}\],/, with: #""crops":[],"#)
        + "\n", to: "hand.ndjson")
    try Facecrop.prepare("\(run) --size 64 --plan-in hand.ndjson --prune", in: folder)
  }

  private static func region(_ folder: TemporaryFolder, of input: String) throws -> [Double] {
    let region = try (folder.manifest().entries[input]?["regions"] as? [[String: Double]])?.first ?? [:]
    return ["x", "y", "width", "height"].compactMap { region[$0] }
  }

  @Test(arguments: [
    "--size 48", "--quality 70", "--format webp", "--no-face center", "--metadata keep", "--min-face 90%",
    "--no-face-dir none",
  ])
  func correctionsSurviveWhatDoesNotPlaceFrames(options: String) throws {
    try TemporaryFolder.with { folder in
      try Self.correct(folder)
      let outcome = try Facecrop.bash(
        "\(Self.run) --size 64 \(options) --prune; echo $?; ls out | grep -v manifest", currentDirectory: folder.path)
      #expect(outcome.lines == ["0", options.contains("webp") ? "a.webp" : "a.jpg"], "\(outcome.stderr)")
      #expect(try Self.region(folder, of: "in/a.jpg") == [0, 0, 0.5, 0.5])
      #expect(try folder.manifest().status("in/b.jpg") == "skipped")
    }
  }

  /// The file was copied or touched, paths are spelled differently, or everything was moved.
  @Test(arguments: [
    "touch in/*", "cp -r in in2; rm -r in; mv in2 in", "cd in; run() { \"$FACECROP\" batch -r . -d ../out \"$@\"; }",
    "mkdir deep; mv in out deep; cd deep",
  ])
  func correctionsBelongToTheContent(change: String) throws {
    try TemporaryFolder.with { folder in
      try Self.correct(folder)
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch -r in -d out "$@"; }; \(change)
        run --preset avatar --progress none --size 48 --prune; echo $?
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["0"], "\(outcome.stderr)")
      let manifest = try folder.manifest(folder.has("deep") ? "deep/out/manifest.ndjson" : "out/manifest.ndjson")
      let entry = manifest.entries.first { $0.key.hasSuffix("a.jpg") && $0.value["plan"] != nil }?.value
      #expect((entry?["regions"] as? [[String: Double]])?.first?["width"] == 0.5)
      #expect(!folder.has("out/b.jpg") && !folder.has("deep/out/b.jpg"))
    }
  }

  /// The image has a new name, lies in another folder, was copied, or its folder has another name.
  @Test(
    arguments: [
      ("mv in/a.jpg in/anna.jpg; mv in/b.jpg in/ben.jpg", "in", ["anna.jpg"], ["in/anna.jpg"]),
      ("mkdir in/4b; mv in/a.jpg in/b.jpg in/4b", "in", ["4b/a.jpg"], ["in/4b/a.jpg"]),
      ("cp in/a.jpg in/c.jpg; cp in/b.jpg in/d.jpg", "in", ["a.jpg", "c.jpg", "d.jpg"], ["in/a.jpg", "in/c.jpg"]),
      ("mv in photos", "photos", ["a.jpg"], ["photos/a.jpg"]),
      ("mv in/a.jpg t; mv in/b.jpg in/a.jpg; mv t in/b.jpg", "in", ["b.jpg"], ["in/b.jpg"]),
    ] as [(String, String, [String], [String])])
  func correctionsFollowTheImage(change: String, input: String, outputs: [String], corrected: [String]) throws {
    for plans in ["", "--plan-in hand.ndjson"] {
      try TemporaryFolder.with { folder in
        try Self.correct(folder)
        let outcome = try Facecrop.bash(
          """
          cp out/a.jpg wanted; \(change)
          "$FACECROP" batch -r \(input) -d out --preset avatar --progress none --size 64 --prune \(plans); echo $?
          (cd out; find . -name '*.jpg' | LC_ALL=C sort); cmp wanted out/\(outputs[corrected.count - 1])
          """, currentDirectory: folder.path)
        #expect(outcome.lines == ["0"] + outputs.map { "./\($0)" }, "\(change) \(plans): \(outcome.stderr)")
        #expect(!outcome.stderr.contains("other inputs"))
        for name in corrected { #expect(try Self.region(folder, of: name) == [0, 0, 0.5, 0.5], "\(name)") }
      }
    }
  }

  /// The newest correction counts when an image returns to an earlier name, also one that was not corrected there.
  @Test(arguments: [true, false])
  func correctionsReturnWithTheImage(isCorrectedFirst: Bool) throws {
    try TemporaryFolder.with { folder in
      if isCorrectedFirst { try Self.correct(folder) } else { try Self.prepare(folder) }
      let outcome = try Facecrop.bash(
        #"""
        run() { "$FACECROP" batch -r "$@" -d out --preset avatar --size 64 --progress none --report r.html; }
        run in; mkdir in/sel; mv in/a.jpg in/sel; run in --plan-out new.ndjson
        grep sel/a.jpg new.ndjson | sed -E 's/"region":\{[^}]*\}/"region":{"x":0.5,"y":0,"width":0.25,"height":0.25}/' > 2.ndjson
        run in --plan-in 2.ndjson; cp out/sel/a.jpg wanted; mv in/sel/a.jpg in; run in --prune
        cmp out/a.jpg wanted; run in --quality 60; grep -o '"input":"in/a.jpg"' r.html | wc -l; find out -name '*.jpg'
        """#, currentDirectory: folder.path)
      #expect(outcome.lines.first == "1" && outcome.lines.contains("out/a.jpg"), "\(outcome.lines) \(outcome.stderr)")
      #expect(outcome.lines.count == (isCorrectedFirst ? 2 : 3), "\(outcome.lines)")
      #expect(!outcome.stderr.contains("was kept"), "\(outcome.stderr)")
      #expect(try Self.region(folder, of: "in/a.jpg") == [0.5, 0, 0.25, 0.25])
    }
  }

  /// Files are numbered anew before the run with the plans, so that each name has another image.
  @Test func plansBelongToTheContentAndNotToTheName() throws {
    try TemporaryFolder.with { folder in
      try Self.correct(folder)
      let outcome = try Facecrop.bash(
        """
        "$FACECROP" batch -r in -d new --preset avatar --progress none --plan-out own.ndjson --plan-in hand.ndjson
        grep in/a.jpg own.ndjson > a.ndjson; mv in/b.jpg in/c.jpg; mv in/a.jpg in/b.jpg; mv in/c.jpg in/a.jpg
        "$FACECROP" batch -r in -d two --preset avatar --progress none --plan-in a.ndjson
        echo changed >> in/b.jpg
        "$FACECROP" batch -r in -d three --preset avatar --progress none --plan-in own.ndjson
        """, currentDirectory: folder.path)
      let corner = [0, 0, 0.5, 0.5]
      func region(_ manifest: String, _ input: String) throws -> [Double] {
        let region = try
          (folder.manifest("\(manifest)/manifest.ndjson").entries[input]?["regions"] as? [[String: Double]])?.first
        return ["x", "y", "width", "height"].compactMap { region?[$0] }
      }
      #expect(try region("two", "in/b.jpg") == corner && region("two", "in/a.jpg") != corner, "\(outcome.stderr)")
      #expect(try region("three", "in/b.jpg") != corner)
    }
  }

  /// Each of two equal images keeps its own correction when their folder is renamed.
  @Test func equalImagesKeepTheirOwnCorrections() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir -p in/print in/web", in: folder)
      for name in ["print", "web"] { try folder.write(Samples.portrait(), to: "in/\(name)/a.jpg") }
      let outcome = try Facecrop.bash(
        #"""
        run() { "$FACECROP" batch -r "$@" -d out --preset avatar --size 64 --progress none; }
        run in --plan-out plans.ndjson
        grep web/a.jpg plans.ndjson | sed -E 's/"region":\{[^}]*\}/"region":{"x":0,"y":0,"width":0.5,"height":0.5}/' > hand.ndjson
        grep print/a.jpg plans.ndjson | sed -E 's/"crops":.*\}\],"detector/"crops":[],"detector/' >> hand.ndjson
        run in --plan-in hand.ndjson --prune; find out -name '*.jpg'; cp out/web/a.jpg wanted; mv in in2
        run in2 --prune; find out -name '*.jpg'; cmp out/web/a.jpg wanted
        """#, currentDirectory: folder.path)
      #expect(outcome.lines == ["out/web/a.jpg", "out/web/a.jpg"], "\(outcome.lines) \(outcome.stderr)")
    }
  }

  /// A new image with the name of a corrected one that was renamed is no correction.
  @Test func anotherImageCanTakeTheNameOfACorrectedOne() throws {
    try TemporaryFolder.with { folder in
      try Self.correct(folder)
      try Facecrop.prepare("mv in/a.jpg in/anna.jpg", in: folder)
      try folder.write(Samples.portrait() + [0], to: "in/a.jpg")
      let outcome = try Facecrop.bash("\(Self.run) --size 64; echo $?", currentDirectory: folder.path)
      #expect(outcome.lines == ["0"], "\(outcome.stderr)")
      #expect(try Self.region(folder, of: "in/anna.jpg") == [0, 0, 0.5, 0.5])
      #expect(try Self.region(folder, of: "in/a.jpg") != [0, 0, 0.5, 0.5])
    }
  }

  /// The image was moved and edited, so its correction cannot be found.
  @Test func anOutputWhoseCorrectionIsLostStaysAndIsNamed() throws {
    try TemporaryFolder.with { folder in
      try Self.correct(folder)
      try Facecrop.prepare("mv in photos; cp out/a.jpg wanted", in: folder)
      for name in ["a.jpg", "b.jpg"] { try folder.write(Samples.portrait() + [0], to: "photos/\(name)") }
      let run = "\"$FACECROP\" batch -r photos -d out --preset avatar --progress none --size 64 --prune"
      let outcome = try Facecrop.bash("\(run); echo $?; cmp out/a.jpg wanted", currentDirectory: folder.path)
      #expect(outcome.lines == ["1"], "\(outcome.stderr)")
      #expect(
        outcome.stderr.contains("facecrop: photos/a.jpg: its output would replace the corrected one of 'in/a.jpg'"))
      #expect(outcome.stderr.contains("facecrop: photos/b.jpg: warning: 'in/b.jpg' was rejected"))
      let given = try Facecrop.bash("\(run) --overwrite; echo $?", currentDirectory: folder.path)
      #expect(given.lines == ["0"] && given.stderr.contains("facecrop: photos/a.jpg: warning: "), "\(given.stderr)")
    }
  }

  /// A moved image whose correction does not fit keeps its output, also from `--prune`.
  @Test func pruningKeepsCorrectedOutputsThatCannotBeMadeAgain() throws {
    try TemporaryFolder.with { folder in
      try Self.correct(folder)
      let outcome = try Facecrop.bash(
        """
        cp out/a.jpg wanted; mv in/a.jpg in/anna.jpg
        \(Self.run) --size 64 --aspect 4:5 --prune; echo $?; cmp out/a.jpg wanted
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["1"], "\(outcome.stderr)")
      #expect(outcome.stderr.contains("facecrop: in/anna.jpg: its corrected frame "), "\(outcome.stderr)")
    }
  }

  /// The portrait of somebody whose photo was deleted is not forgotten, with `--prune` or without it.
  @Test(arguments: ["", "--prune"]) func correctedOutputsOfMissingImagesAreNamed(options: String) throws {
    try TemporaryFolder.with { folder in
      try Self.correct(folder)
      let outcome = try Facecrop.bash(
        "rm in/a.jpg; \(Self.run) --size 64 \(options); test -e out/a.jpg && echo kept", currentDirectory: folder.path)
      #expect(outcome.lines == ["kept"], "\(outcome.stderr)")
      let warning = "facecrop: out/a.jpg: warning: its frame was corrected by hand, and its image is missing"
      #expect(outcome.stderr.contains(warning), "\(outcome.stderr)")
    }
  }

  /// A sheet prints the corrected frame of an image that was renamed.
  @Test func sheetsFindThePlansOfRenamedImages() throws {
    try TemporaryFolder.with { folder in
      try Self.correct(folder)
      let outcome = try Facecrop.bash(
        """
        "$FACECROP" batch in/a.jpg -d new --plan-in hand.ndjson --preset avatar --plan-out own.ndjson --progress none
        sheet() { "$FACECROP" sheet "$@" --preset avatar --size 3x3cm --plan-in own.ndjson; }
        sheet in/a.jpg -o 1.jpg; mv in/a.jpg anna.jpg; sheet anna.jpg -o 2.jpg; cmp 1.jpg 2.jpg && echo same
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["same"], "\(outcome.stderr)")
    }
  }

  @Test(arguments: ["--preset portrait", "--aspect 4:5", "--padding 0.4", "--faces central"])
  func aCorrectionThatCannotBeKeptIsNamedAndItsOutputStays(options: String) throws {
    try TemporaryFolder.with { folder in
      try Self.correct(folder)
      let before = try folder.bytes("out/a.jpg")
      let outcome = try Facecrop.bash("\(Self.run) --size 64 \(options); echo $?", currentDirectory: folder.path)
      #expect(outcome.lines == ["1"], "\(outcome.stderr)")
      #expect(outcome.stderr.contains("facecrop: in/a.jpg: its corrected frame "))
      #expect(try folder.bytes("out/a.jpg") == before)
      let reason = try folder.manifest().reason("in/a.jpg")
      #expect(reason.kind == "correction" && reason.message.contains("correct the frame again"), "\(reason)")
      // The same options find it again; another option gives it up on request.
      let again = try Facecrop.bash("\(Self.run) --size 64; echo $?", currentDirectory: folder.path)
      #expect(again.lines == ["0"], "\(again.stderr)")
      #expect(try Self.region(folder, of: "in/a.jpg") == [0, 0, 0.5, 0.5])
      let given = try Facecrop.bash(
        "\(Self.run) --size 64 \(options) --overwrite; echo $?", currentDirectory: folder.path)
      #expect(given.lines == ["0"] && given.stderr.contains("facecrop: in/a.jpg: warning: its corrected frame "))
      #expect(try Self.region(folder, of: "in/a.jpg") != [0, 0, 0.5, 0.5])
    }
  }

  @Test func aCorrectionOfAnotherImageIsNotApplied() throws {
    try TemporaryFolder.with { folder in
      try Self.correct(folder)
      try folder.write(Samples.portrait() + [0], to: "in/a.jpg")
      let before = try folder.bytes("out/a.jpg")
      let outcome = try Facecrop.bash("\(Self.run) --size 48; echo $?", currentDirectory: folder.path)
      #expect(outcome.lines == ["1"] && outcome.stderr.contains("facecrop: in/a.jpg: its corrected frame "))
      #expect(try folder.bytes("out/a.jpg") == before)
    }
  }

  /// A keyword or a rating of another program leaves the image the same, also for records of older versions.
  @Test(arguments: [false, true])
  func metadataLeavesACorrectionInForce(isOfAnOlderVersion: Bool) throws {
    try TemporaryFolder.with { folder in
      try Self.correct(folder)
      let manifest = try folder.text("out/manifest.ndjson")
      #expect(manifest.contains(#""content":"image:"#))
      if isOfAnOlderVersion {
        let sum = try Facecrop.bash("sha256sum in/a.jpg in/b.jpg", currentDirectory: folder.path).text.prefix(64)
        try folder.write(
          manifest.replacing(/"content":"image:[0-9a-f]*"/, with: #""content":"\#(sum)""#), to: "out/manifest.ndjson")
        try Facecrop.prepare("mv in/a.jpg in/new.jpg", in: folder)
      } else {
        let rating = MarkerSegment.comment("five stars")
        for name in ["a", "b"] {
          try folder.write(JPEGSurgery.inserting([rating], into: folder.bytes("in/\(name).jpg")), to: "in/\(name).jpg")
        }
      }
      let outcome = try Facecrop.bash("\(Self.run) --size 48; echo $?; ls out", currentDirectory: folder.path)
      #expect(outcome.lines.first == "0", "\(outcome.stderr)")
      #expect(try Self.region(folder, of: isOfAnOlderVersion ? "in/new.jpg" : "in/a.jpg") == [0, 0, 0.5, 0.5])
      #expect(isOfAnOlderVersion || !folder.has("out/b.jpg"))
    }
  }

  @Test func correctionsThatAreGivenUpAreNamed() throws {
    try TemporaryFolder.with { folder in
      try Self.correct(folder)
      let outcome = try Facecrop.bash("\(Self.run) --size 64 --no-resume; echo $?", currentDirectory: folder.path)
      #expect(outcome.lines == ["0"])
      #expect(outcome.errorLines.count { $0.contains("warning: its corrected frame is given up") } == 2)
      #expect(folder.has("out/b.jpg"))
    }
  }

  @Test func aRejectedFaceLeavesTheOthersTheirNumbers() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      try folder.write(JPEGRecipe.baseline444.encode(Samples.twoFaces()), to: "in/two.jpg")
      let run = "\(Self.run) --faces each --size 64"
      try Facecrop.prepare("\(run) --plan-out plans.ndjson; cp out/two-2.jpg second.jpg", in: folder)
      let line = try #require(try folder.text("plans.ndjson").split(separator: "\n").last)
      // The first of the crops is removed.
      try folder.write(
        line.replacing(/"crops":\[\{.*?\},\{"faces"/, with: #""crops":[{"faces""#) + "\n", to: "hand.ndjson")
      let outcome = try Facecrop.bash(
        """
        \(run) --plan-in hand.ndjson --prune; ls out | grep -v manifest; cmp out/two-2.jpg second.jpg
        \(run) --quality 60 --prune; ls out | grep -v manifest
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["two-2.jpg", "two-2.jpg"], "\(outcome.stderr)")
    }
  }

  // MARK: Names

  /// An image is the same under every spelling of its folder, and from every current folder.
  @Test func inputsAreKnownByWhereTheyAre() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir -p gp/sub real; ln -s gp way", in: folder)
      for name in ["gp/a.jpg", "gp/sub/b.jpg"] { try folder.write(Samples.portrait(), to: name) }
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch -r "$@" --size 32 --json --progress none | grep -o '"doneBefore":.'; }
        run gp -d out; run ./gp -d out; run "$PWD/gp" -d ./out; run gp/../gp/ -d "$PWD/out"; run way -d out
        (cd gp && run . -d ../out); (cd gp/sub && run .. -d ../../out); run gp ./gp "$PWD/gp/a.jpg" -d out
        mkdir there; mv gp out there; (cd there && run gp -d out); grep -c '"status"' there/out/manifest.ndjson
        cd there; "$FACECROP" batch -r "$PWD/gp" -d out --size 32 --report r.html --progress none
        grep -o '"input":"[^"]*"' r.html | wc -l
        """, currentDirectory: folder.path)
      #expect(
        outcome.lines == ["\"doneBefore\":0"] + Array(repeating: "\"doneBefore\":2", count: 8) + ["2", "2"],
        "\(outcome.lines) \(outcome.stderr)")
    }
  }

  @Test func plansFindTheirInputsHoweverTheseAreSpelled() throws {
    try TemporaryFolder.with { folder in
      try Self.correct(folder)
      let outcome = try Facecrop.bash(
        "\"$FACECROP\" batch -r ./in -d new --preset avatar --plan-in hand.ndjson --progress none; ls new",
        currentDirectory: folder.path)
      #expect(outcome.lines == ["a.jpg", "manifest.ndjson"] && outcome.errorLines.isEmpty, "\(outcome.stderr)")
    }
  }

  // MARK: Images without a face

  @Test func imagesWithoutAFaceAreNotAmongTheOthers() throws {
    try TemporaryFolder.with { folder in
      try Self.prepare(folder)
      try folder.write(Samples.faceless(), to: "in/wall.jpg")
      let run = "\"$FACECROP\" batch -r in --preset avatar --size 48"
      let outcome = try Facecrop.bash(
        """
        \(run) -d out --json; ls out | grep -v manifest
        \(run) -d two --no-face-dir no/face --json | grep -o '"outputsWithoutFace":.'
        (cd two; find . -name '*.jpg' | sort)
        \(run) -d two --no-face-dir no/face --json --prune | grep -o '"doneBefore":.'
        \(run) -d three --no-face center; (cd three; find . -name '*.jpg' | sort)
        """, currentDirectory: folder.path)
      let summary = try jsonObject(try #require(outcome.lines.first))
      #expect(summary["cropped"] as? Int == 2 && summary["noFace"] as? Int == 1 && summary["outputs"] as? Int == 2)
      #expect(
        outcome.lines.dropFirst() == [
          "a.jpg", "b.jpg", "\"outputsWithoutFace\":1", "./a.jpg", "./b.jpg", "./no/face/wall.jpg", "\"doneBefore\":3",
          "./a.jpg", "./b.jpg", "./wall.jpg",
        ], "\(outcome.stderr)")
      #expect(outcome.stderr.contains("--no-face-dir"))
    }
  }

  @Test(arguments: ["..", "/x", "a/../../b"])
  func theFolderForImagesWithoutAFaceIsBelowTheOutputs(name: String) throws {
    let outcome = try Facecrop.run("batch", "a.jpg", "-d", "out", "--no-face-dir", name)
    #expect(outcome.status == 64 && outcome.stderr.contains("--no-face-dir"))
  }

  // MARK: Encoders

  /// A photo of 12 megapixels as from a phone.
  @Test(arguments: ["avif --speed 9", "webp --quality lossless", "avif --speed 9 --quality 95"])
  func ordinaryPhotographsAreEncodedByTheDefaults(format: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(
        JPEGRecipe.baseline420.encode(Pixels(width: 4_000, height: 3_000, color: [90, 120, 150])), to: "a.jpg")
      let outcome = try Facecrop.bash(
        "\"$FACECROP\" crop a.jpg --format \(format) -o out --timeout 600; echo $?", currentDirectory: folder.path)
      #expect(outcome.lines == ["0"], "\(outcome.stderr)")
    }
  }
}
