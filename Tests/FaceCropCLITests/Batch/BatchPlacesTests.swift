import FaceCrop
import Foundation
import TestSupport
import Testing

/// Later runs with another base, other inputs, or unreadable folders: each output is where the run puts it, and
/// no output of another image is lost.
@Suite struct BatchPlacesTests {
  private static let run = "run() { \"$FACECROP\" batch \"$@\" --size 64 --progress none; }"

  /// Runs a command that obeys permissions, also as root.
  private static let obedient =
    "obedient() { if [ \"$(id -u)\" = 0 ]; then setpriv --bounding-set=-dac_override,-dac_read_search \"$@\"; else \"$@\"; fi; }"

  private func prepare(_ folder: TemporaryFolder) throws {
    try Facecrop.prepare("mkdir -p p/a", in: folder)
    // Their outputs differ, too.
    for (number, name) in ["x", "a/x", "a/y"].enumerated() {
      let image = try astronaut().cropped(x: 8 * number, y: 0, width: 400, height: 400)
      try folder.write(JPEGRecipe.baseline420.encode(image), to: "p/\(name).jpg")
    }
  }

  // MARK: Done inputs

  @Test func anOutputAtAnotherPlaceIsNotDone() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        """
        \(Self.run); run -r p/a -d o; run -r p -d o; (cd o; find . -name '*.jpg' | LC_ALL=C sort)
        run -r p -d o --json | grep -o '"doneBefore":.\\|"kept":.'
        run -r p -d new; cmp o/x.jpg new/x.jpg; cmp o/a/x.jpg new/a/x.jpg
        """, currentDirectory: folder.path)
      #expect(
        outcome.lines == ["./a/x.jpg", "./a/y.jpg", "./x.jpg", "./y.jpg", "\"doneBefore\":3", "\"kept\":0"],
        "\(outcome.lines) \(outcome.stderr)")
    }
  }

  /// A run after another one leaves the same files as a run in a new folder, and a third one finds all done.
  @Test(
    arguments: [
      ("-r p/a", "-r p"), ("-r p", "-r p/a"), ("p/a/y.jpg", "-r p"), ("-r p", "p/a/y.jpg p/a/f.jpg"),
      ("-r p/a", "-r p/a --base p"), ("--from-list list", "--from-list list --base p"),
      ("--from-list list --base .", "--from-list list --base p/a"), ("-r p", "-r link"),
    ],
    [
      "", "--faces each --size 64,32", "--preset avatar --no-face-dir none", "--sidecar --metadata keep --format webp",
      "--blur",
      "--faces each --name '{folder}/{stem}{index:02}.{ext}'", "--no-face whole --name '{size}/{name}'",
      "--faces each --name '{index}-{name}' --quality 60",
    ])
  func eachOutputIsWhereTheRunPutsIt(inputs: (first: String, second: String), options: String) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir -p p/a; ln -s p link", in: folder)
      try folder.write(Samples.portrait(), to: "p/z.jpg")
      try folder.write(Samples.portrait() + [1], to: "p/a/y.jpg")
      try folder.write(JPEGRecipe.baseline420.encode(Samples.twoFaces()), to: "p/a/f.jpg")
      try folder.write(Samples.faceless(), to: "p/a/wall.jpg")
      try folder.write("p/a/y.jpg\np/a/f.jpg\np/a/wall.jpg\n", to: "list")
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch "$@" --progress none \(options.contains("--size") || options == "--blur" ? "" : "--size 64") \(options); }
        files() { (cd $1; find . -type f ! -name 'manifest*' -exec sha256sum {} + | LC_ALL=C sort); }
        run \(inputs.first) -d o; run \(inputs.second) -d o --json | grep -o '"failed":.'
        run \(inputs.second) -d new
        diff <(files o | grep -F -f <(files new)) <(files new) && echo same
        run \(inputs.second) -d o --json | grep -o '"completed":.\\|"doneBefore":.' | tr -dc '0-9\\n' | uniq | wc -l
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["\"failed\":0", "same", "1"], "\(outcome.lines) \(outcome.stderr)")
    }
  }

  /// Another file of the shot, or another input, took the place of a skipped one until now.
  @Test(
    arguments: [
      ("-r p", "-r p --pairs raw", ["c/s.jpg", "d/s.jpg", "r.JPG", "r.jpg"], "p/r.NEF"),
      ("-r p", "-r p/r.NEF", ["c/s.jpg", "d/s.jpg", "r.JPG", "r.jpg"], "p/r.NEF"),
      ("-r p/c p/d --on-collision first", "-r p", ["c/s.jpg", "d/s.jpg", "r.JPG", "s.jpg"], "p/d/s.jpg"),
      ("-r p/c", "p/c/t.THM", ["s.jpg", "t.jpg"], "p/c/t.THM"),
    ] as [(String, String, [String], String)])
  func anInputThatWasSkippedIsNotDone(first: String, second: String, outputs: [String], made: String) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir -p p/c p/d", in: folder)
      try folder.write(Samples.portrait(), to: "p/r.JPG")
      let preview = try Samples.portrait() + [1]
      try folder.write(
        RAWBuilder(.nef, preview: preview, thumbnail: [], samples: [UInt8](repeating: 0, count: 9_000)).encoded(),
        to: "p/r.NEF")
      try folder.write(Samples.portrait() + [2], to: "p/c/s.jpg")
      try folder.write(Samples.portrait() + [3], to: "p/d/s.jpg")
      try folder.write(Samples.portrait() + [4], to: "p/c/t.THM")
      let outcome = try Facecrop.bash(
        "\(Self.run); run \(first) -d o; run \(second) -d o; echo $?; (cd o; find * -name '*.[jJ]*' | LC_ALL=C sort)",
        currentDirectory: folder.path)
      #expect(outcome.lines == ["0"] + outputs, "\(outcome.lines) \(outcome.stderr)")
      #expect(try folder.manifest("o/manifest.ndjson").status(made) == "cropped")
    }
  }

  /// The file of the shot that was cropped is gone.
  @Test func theOtherFileOfAShotIsCroppedInstead() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir p", in: folder)
      try folder.write(Samples.portrait(), to: "p/r.JPG")
      try folder.write(Samples.portrait() + [1], to: "p/r.heic")
      let outcome = try Facecrop.bash(
        "\(Self.run); run -r p -d o; rm p/r.JPG; run -r p -d o --prune; ls o", currentDirectory: folder.path)
      #expect(outcome.lines == ["manifest.ndjson", "r.jpg"], "\(outcome.stderr)")
    }
  }

  // MARK: Outputs of others

  /// Two images of one name in two runs: the second would replace the output of the first.
  @Test(
    arguments: [
      (":", "1"), ("cp -p p/x.jpg p/a/x.jpg", "0"), ("cp p/x.jpg p/a/x.jpg", "0"), ("rm p/x.jpg", "0"),
      ("set -- --overwrite", "0"), ("set -- p/x.jpg --base p", "0"),
    ])
  func anOutputOfAnotherImageIsKept(change: String, status: String) throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        "\(Self.run); run p/x.jpg -d o; cp o/x.jpg mine; \(change); run p/a/x.jpg -d o \"$@\"; echo $?; cmp -s o/x.jpg mine && echo same",
        currentDirectory: folder.path)
      #expect(outcome.lines.first == status, "\(outcome.stderr)")
      guard status == "1" else { return }
      #expect(outcome.lines == ["1", "same"])
      #expect(
        outcome.stderr.contains("facecrop: p/a/x.jpg: the output 'x.jpg' is that of 'p/x.jpg', and was kept"),
        "\(outcome.stderr)")
      #expect(try folder.manifest("o/manifest.ndjson").reason("p/a/x.jpg").kind == "taken")
    }
  }

  /// The output was replaced by that of another image, so its own is made when the image is named again.
  @Test func aReplacedOutputIsNotDone() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        """
        \(Self.run); run p/x.jpg -d o; run p/a/x.jpg -d o --overwrite
        run p/x.jpg -d o; echo $?; run p/x.jpg -d o --overwrite; echo $?; run p/x.jpg -d o --json | grep -o '"doneBefore":.'
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["1", "0", "\"doneBefore\":1"], "\(outcome.stderr)")
      #expect(outcome.stderr.contains("facecrop: p/x.jpg: the output 'x.jpg' is that of 'p/a/x.jpg'"))
    }
  }

  // MARK: Corrections

  /// Corrects the frame of p/a/x.jpg.
  private func correct(_ folder: TemporaryFolder, inputs: String) throws {
    try prepare(folder)
    try Facecrop.prepare(
      #"""
      \#(Self.run); run \#(inputs) -d o --preset avatar --plan-out plans.ndjson
      grep 'p/a/x.jpg' plans.ndjson | sed -E 's/"region":\{[^}]*\}/"region":{"x":0,"y":0,"width":0.5,"height":0.5}/' > hand.ndjson
      run \#(inputs) -d o --preset avatar --plan-in hand.ndjson
      """#, in: folder)
  }

  /// The ways in the message lead on, and later runs without them know what was chosen.
  @Test(arguments: ["echo changed >> p/a/x.jpg", "aspect='--aspect 4:5'"], ["drop", "apply", "keep"])
  func theWaysInTheMessageWork(change: String, way: String) throws {
    let isRetake = !change.contains("aspect")
    try TemporaryFolder.with { folder in
      try correct(folder, inputs: "-r p")
      let outcome = try Facecrop.bash(
        """
        \(Self.run); \(change); own() { run -r p -d o --preset avatar $aspect --report r.html --prune "$@"; }
        cp o/a/x.jpg old; own 2> message; echo $?; cmp o/a/x.jpg old
        own --corrections \(way); echo $?; cp o/a/x.jpg made; own; echo $?; cmp o/a/x.jpg made
        run p/a/x.jpg -d new --preset avatar $aspect
        cmp -s made new/x.jpg && echo automatic; cmp -s made old && echo old
        """, currentDirectory: folder.path)
      let message = try folder.text("message")
      for own in ["drop", "keep"] { #expect(message.contains("--corrections \(own)"), "\(message)") }
      #expect(message.contains("--corrections apply") == isRetake)
      // The corrected frame is another one than the automatic one, and "changed" changes no pixel.
      let expected =
        switch (way, isRetake) {
        case ("drop", _): ["1", "0", "0", "automatic"]
        case ("apply", true): ["1", "0", "0", "old"]
        case ("keep", _): ["1", "0", "1", "old"]
        default: ["1", "1", "1", "old"]
        }
      #expect(outcome.lines == expected, "\(outcome.stderr)")
      // The page shows the old frame for the new file.
      let lines = try folder.text("r.html").split(separator: "\n")
      let entry = try #require(lines.first { $0.hasPrefix("{") && $0.contains("p/a/x.jpg") })
      #expect(entry.contains(#""crops":[{"#) && entry.contains(#""thumbnail":"#), "\(entry)")
      if way == "keep" { #expect(try folder.manifest("o/manifest.ndjson").reason("p/a/x.jpg").kind == "correction") }
    }
  }

  /// A new photo of another size, but of the same shape, takes the frame.
  @Test func theOldFrameFitsAnotherSize() throws {
    try TemporaryFolder.with { folder in
      try correct(folder, inputs: "-r p")
      let image = try astronaut().cropped(x: 50, y: 0, width: 300, height: 300)
      try folder.write(JPEGRecipe.baseline420.encode(image), to: "p/a/x.jpg")
      let outcome = try Facecrop.bash(
        "\(Self.run); run -r p -d o --preset avatar --corrections apply; echo $?", currentDirectory: folder.path)
      #expect(outcome.lines == ["0"], "\(outcome.stderr)")
      let region = try folder.manifest("o/manifest.ndjson").entries["p/a/x.jpg"]?["regions"] as? [[String: Double]]
      #expect(region?.first?["width"] == 0.5)
    }
  }

  /// A new photo of another shape cannot take the frame. The other ways work after that, too.
  @Test(arguments: ["drop", "keep"]) func theOldFrameDoesNotFitAnotherShape(way: String) throws {
    try TemporaryFolder.with { folder in
      try correct(folder, inputs: "-r p")
      let image = try astronaut().cropped(x: 50, y: 0, width: 300, height: 400)
      try folder.write(JPEGRecipe.baseline420.encode(image), to: "p/a/x.jpg")
      let outcome = try Facecrop.bash(
        """
        \(Self.run); own() { run "$@" --preset avatar; }
        cp o/a/x.jpg old; own -r p -d o --corrections apply --prune 2> message; echo $?; cmp o/a/x.jpg old
        own -r p -d o 2>> message; echo $?; touch p/a/x.jpg; own -r p -d o --corrections \(way); echo $?
        own p/a/x.jpg -d new; cmp -s o/a/x.jpg new/x.jpg && echo automatic; cmp -s o/a/x.jpg old && echo old
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["1", "1", "0", way == "drop" ? "automatic" : "old"], "\(outcome.stderr)")
      let message = try folder.text("message")
      for words in ["400×400", "300×400", "--corrections drop", "--corrections keep"] {
        #expect(message.contains(words), "\(message)")
      }
    }
  }

  /// The new photo stays rejected, because a rejection has no frame.
  @Test func aRejectionFitsAnotherShape() throws {
    try TemporaryFolder.with { folder in
      try correct(folder, inputs: "-r p")
      let image = try astronaut().cropped(x: 50, y: 0, width: 300, height: 400)
      let outcome = try Facecrop.bash(
        #"""
        \#(Self.run); sed -E 's/"crops":\[.*\],"detector"/"crops":[],"detector"/' hand.ndjson > none.ndjson
        run -r p -d o --preset avatar --plan-in none.ndjson; echo $?
        """#, currentDirectory: folder.path)
      #expect(outcome.lines == ["0"], "\(outcome.stderr)")
      try folder.write(JPEGRecipe.baseline420.encode(image), to: "p/a/x.jpg")
      let applied = try Facecrop.bash(
        "\(Self.run); run -r p -d o --preset avatar --corrections apply; echo $?", currentDirectory: folder.path)
      #expect(applied.lines == ["0"], "\(applied.stderr)")
      #expect(try folder.manifest("o/manifest.ndjson").reason("p/a/x.jpg").kind == "rejected")
    }
  }

  /// A refused plan is no correction, so a run without it crops the image.
  @Test func aPlanOfAnotherSizeIsNotKept() throws {
    try TemporaryFolder.with { folder in
      try correct(folder, inputs: "-r p")
      let outcome = try Facecrop.bash(
        #"""
        \#(Self.run); sed -E 's/"source":\{[^}]*\}/"source":{"width":401,"height":300}/' hand.ndjson > other.ndjson
        run -r p -d new --preset avatar --plan-in other.ndjson; echo $?; run -r p -d new --preset avatar; echo $?
        """#, currentDirectory: folder.path)
      #expect(outcome.lines == ["1", "0"], "\(outcome.stderr)")
      #expect(outcome.stderr.contains("401×300"), "\(outcome.stderr)")
    }
  }

  /// A corrected output that is kept is not replaced by the one of another input in the same run.
  @Test func aCorrectedOutputAtAFormerPlaceIsKept() throws {
    try TemporaryFolder.with { folder in
      try correct(folder, inputs: "-r p/a")
      let outcome = try Facecrop.bash(
        """
        \(Self.run); cp o/x.jpg wanted; echo changed >> p/a/x.jpg; run -r p -d o --preset avatar --prune; echo $?
        cmp o/x.jpg wanted && echo same
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["1", "same"], "\(outcome.stderr)")
      #expect(
        outcome.stderr.contains("facecrop: p/x.jpg: its output would replace the corrected one of 'p/a/x.jpg'"),
        "\(outcome.stderr)")
    }
  }

  // MARK: Folders that cannot be read

  /// The images of the folder may exist, and a copy of one of them is no new name for it.
  @Test(arguments: [
    "chmod 000 p/a", "chmod 600 p/a", "chmod 300 p/a", "chmod 000 p", "cp p/a/x.jpg p/y.jpg; chmod 000 p/a",
  ])
  func pruningKeepsOutputsOfFoldersThatCannotBeRead(change: String) throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        """
        \(Self.obedient); run() { obedient "$FACECROP" batch "$@" -d o --size 64 --progress none --report r.html; }
        run -r p; mkdir q; cp p/x.jpg q/q.jpg; \(change)
        for i in 1 2; do run -r p q --prune 2> message; echo $?; grep -c 'cannot be read: Permission denied' message; done
        chmod 700 p p/a; ls o/a; run -r p q --prune; echo $?
        """, currentDirectory: folder.path)
      let lines = outcome.lines
      try #require(lines.count == 7, "\(lines) \(outcome.stderr)")
      // Each run names the folder.
      #expect(
        lines[0] == "1" && lines[2] == "1" && lines[1] == lines[3] && lines[1] != "0", "\(lines) \(outcome.stderr)")
      #expect(Array(lines[4...]) == ["x.jpg", "y.jpg", "0"], "\(lines) \(outcome.stderr)")
    }
  }

  /// A named folder is missing, for example because its disk is not mounted.
  @Test func pruningKeepsOutputsOfANamedFolderThatIsMissing() throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        """
        \(Self.run); mkdir q; cp p/a/y.jpg q/q.jpg; run -r p q -d o; mv q away; run -r p q -d o --prune; echo $?; ls o
        run -r p -d o --prune; echo $?; ls o
        """, currentDirectory: folder.path)
      #expect(
        outcome.lines == ["1", "a", "manifest.ndjson", "q.jpg", "x.jpg", "0", "a", "manifest.ndjson", "x.jpg"],
        "\(outcome.stderr)")
    }
  }

  /// An empty folder beside a full one may be a place where nothing is mounted. Its outputs are kept and named, also if
  /// it has empty folders, until it is left out.
  @Test(arguments: ["mkdir q", "mkdir -p q/deep", "mkdir q; touch q/.hidden"])
  func pruningKeepsOutputsOfANamedFolderThatIsEmpty(change: String) throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        """
        \(Self.run); mkdir q; cp p/a/y.jpg q/q.jpg; run -r p q -d o; mv q away; \(change)
        run -r p q -d o --prune 2> message; echo $?; ls o; rm -r q; mv away q; run -r p q -d o --prune; ls o
        rm -r q; run -r p -d o --prune; ls o; cat message >&2
        """, currentDirectory: folder.path)
      let all = ["a", "manifest.ndjson", "q.jpg", "x.jpg"]
      #expect(outcome.lines == ["0"] + all + all + all.filter { $0 != "q.jpg" }, "\(outcome.stderr)")
      #expect(outcome.stderr.contains("facecrop: q: warning: the folder has no images"), "\(outcome.stderr)")
      #expect(
        outcome.stderr.contains("facecrop: o/q.jpg: warning: its image was in a named folder"), "\(outcome.stderr)")
    }
  }

  /// A folder with other files, or with a folder that was left out, is not empty.
  @Test(arguments: ["echo text > q/text.txt", "mkdir q/out; cp o/manifest.ndjson q/out"])
  func aFolderWithOtherFilesIsNotEmpty(change: String) throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      let outcome = try Facecrop.bash(
        """
        \(Self.run); mkdir q; cp p/a/y.jpg q/q.jpg; run -r p q -d o; rm q/q.jpg; \(change)
        run -r p q -d o --prune; ls o
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["a", "manifest.ndjson", "x.jpg"], "\(outcome.stderr)")
      #expect(!outcome.stderr.contains("no images"), "\(outcome.stderr)")
    }
  }

  // MARK: Messages

  @Test(
    arguments: [
      ("p/x.jpg p/a/x.jpg", "p/x.jpg and p/a/x.jpg both give x.jpg"),
      ("p/x.jpg p/a/X.jpg", "p/x.jpg and p/a/X.jpg give x.jpg and X.jpg, which are one name on some disks"),
    ])
  func collisionsThatStaySayWhatHelps(inputs: String, line: String) throws {
    try TemporaryFolder.with { folder in
      try prepare(folder)
      try Facecrop.prepare("cp p/a/x.jpg p/a/X.jpg", in: folder)
      let outcome = try Facecrop.bash(
        "\"$FACECROP\" batch \(inputs) -d o --on-collision keep-extension", currentDirectory: folder.path)
      #expect(outcome.status == 64 && outcome.stderr.contains(line), "\(outcome.stderr)")
      #expect(outcome.stderr.contains("--base FOLDER keeps the subfolders") && !outcome.stderr.contains("only in case"))
    }
  }

  @Test(arguments: [
    ["--blur", "--except", "1"], ["--except", "1"], ["--blur", "--faces", "1"],
  ])
  func batchesSayHowToHideChosenFaces(options: [String]) throws {
    let outcome = try Facecrop.run(["batch", "-r", "p", "-d", "o"] + options)
    #expect(outcome.status == 64)
    #expect(outcome.stderr.contains("--hide or --show"), "\(outcome.stderr)")
    #expect(outcome.stderr.contains("facecrop blur --faces"), "\(outcome.stderr)")
    #expect(outcome.stderr.contains("--report") && !outcome.stderr.contains("did you mean"), "\(outcome.stderr)")
  }

  /// `--base` and the inputs may be spelled in different ways.
  @Test(arguments: [
    ("p/a/x.jpg", "$PWD/p"), ("$PWD/p/a/x.jpg", "p"), ("$PWD/p/a/x.jpg", "."), ("p/a/x.jpg", "p/a/.."),
    ("link/a/x.jpg", "p"), ("p/a/x.jpg", "link"), ("p/a/../a/x.jpg", "link/a/.."), ("-r $PWD/link/a", "p"),
    ("--from-list list", "$PWD/p"),
  ])
  func theBaseIsResolved(inputs: String, base: String) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir -p p/a; ln -s p link; echo p/a/x.jpg > list", in: folder)
      try folder.write(Samples.portrait(), to: "p/a/x.jpg")
      let outcome = try Facecrop.bash(
        """
        "$FACECROP" batch \(inputs) --base \(base) -d o --size 32 && (cd o; find . -name '*.jpg')
        cd p/a; "$FACECROP" batch x.jpg --base .. -d ../../new --size 32 && (cd ../../new; find . -name '*.jpg')
        """, currentDirectory: folder.path)
      #expect(outcome.lines == [base == "." ? "./p/a/x.jpg" : "./a/x.jpg", "./a/x.jpg"], "\(outcome.stderr)")
    }
  }

  /// A place is not guessed, and the message names both.
  @Test(arguments: [
    ("p/a/x.jpg", "none", "--base 'none': no such folder"), ("p/a/x.jpg", "p/a/x.jpg", "--base 'p/a/x.jpg': no such"),
    ("p/a/x.jpg q/y.jpg", "p", "q/y.jpg: the input is not below --base 'p' ("), ("-r q", "p", "q: the input is not"),
    ("p/a/x.jpg", "p/a/b", "p/a/x.jpg: the input is not below --base 'p/a/b'"),
    ("p/a/x.jpg ./q/y.jpg q/none.jpg", "p", "./q/y.jpg: the input is not below --base 'p', nor is 1 other ("),
    ("--from-list list", "$PWD/p", "q/y.jpg: the input"), ("p/../q/y.jpg", "p", "p/../q/y.jpg: the input"),
  ])
  func anInputThatIsNotBelowTheBaseIsRefused(inputs: String, base: String, words: String) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir -p p/a/b q; echo q/y.jpg > list", in: folder)
      try folder.write(Samples.portrait(), to: "p/a/x.jpg")
      try folder.write(Samples.portrait(), to: "q/y.jpg")
      let outcome = try Facecrop.bash(
        "\"$FACECROP\" batch \(inputs) --base \(base) -d o", currentDirectory: folder.path)
      #expect(outcome.status == 64 && outcome.stderr.contains(words), "\(outcome.stderr)")
      #expect(!folder.has("o"))
    }
  }

  /// A folder of images without outputs leaves nothing in the output folder.
  @Test func noFolderIsLeftWithoutAnOutput() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir -p in/deep/wall out/own", in: folder)
      try folder.write(Samples.portrait(), to: "in/deep/a.jpg")
      try folder.write(Samples.faceless(), to: "in/deep/wall/b.jpg")
      try folder.write(Array(Samples.portrait().prefix(200)), to: "in/deep/wall/cut.jpg")
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch -r in -d out --size 32 --progress none "$@"; find out -type d | LC_ALL=C sort; }
        run; run --name '{date}/{size}/{stem}.jpg' --prune; rm -r in/deep/a.jpg; run --prune
        """, currentDirectory: folder.path)
      #expect(
        outcome.lines == [
          "out", "out/deep", "out/own", "out", "out/deep", "out/deep/undated", "out/deep/undated/32", "out/own", "out",
          "out/own",
        ], "\(outcome.lines) \(outcome.stderr)")
    }
  }

  /// The content decides the format, as in single commands.
  @Test(arguments: ["--preset avatar --size 64", "--blur"]) func wrongExtensionsAreCorrected(options: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.bash(
        """
        mkdir in; facecrop crop in.jpg -o out.png; mv out.png in/png.jpg; mv in.jpg in/jpeg.png; cp in/jpeg.png in/photo
        facecrop batch -r in -d out --progress none \(options); cd out; LC_ALL=C ls
        for name in *; do head -c 3 $name | od -An -tx1; done
        """, currentDirectory: folder.path)
      #expect(
        outcome.lines == ["jpeg.jpg", "manifest.ndjson", "photo.jpg", "png.png"]
          + [" ff d8 ff", " 7b 22 66", " ff d8 ff", " 89 50 4e"], "\(outcome.stderr)")
    }
  }

  /// A manifest of another version makes all images again, and the summary has the reason.
  @Test(arguments: ["\"algorithm\":1", nil]) func theSummarySaysWhyImagesAreMadeAgain(older: String?) throws {
    try TemporaryFolder.with { folder in
      for name in ["a.jpg", "b.jpg"] { try folder.write(Samples.portrait(), to: name) }
      let run = ["batch", "a.jpg", "b.jpg", "-d", "out", "--size", "64"]
      #expect(!(try Facecrop.run(run, currentDirectory: folder.path).stderr.contains("again ")))
      #expect(!(try Facecrop.run(run, currentDirectory: folder.path).stderr.contains("again ")))
      let manifest = try String(decoding: folder.bytes("out/manifest.ndjson"), as: UTF8.self)
      let current = "\"algorithm\":\(AlgorithmRevision.current)"
      #expect(manifest.contains(current))
      // The fingerprint of the options has the version, too.
      let old = manifest.replacingOccurrences(of: current, with: older ?? "\"other\":0")
        .replacingOccurrences(of: "\"options\":\"", with: "\"options\":\"0")
      try folder.write(old, to: "out/manifest.ndjson")
      let outcome = try Facecrop.run(run + ["--json"], currentDirectory: folder.path)
      #expect(outcome.stderr.contains("again     2 images"), "\(outcome.stderr)")
      #expect(try jsonObject(outcome.text)["ofOtherRevision"] as? Int == 2)
    }
  }
}
