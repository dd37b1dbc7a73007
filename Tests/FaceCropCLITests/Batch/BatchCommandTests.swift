import Foundation
import Glibc
import TestSupport
import Testing

/// `facecrop batch`: each input has one final status, no input stops another, and no work is repeated.
@Suite struct BatchCommandTests {
  // MARK: Results of inputs

  @Test func everyInputHasAStatusAndAReason() throws {
    try TemporaryFolder.with { folder in
      let portrait = try Samples.portrait()
      try Facecrop.prepare(
        """
        mkdir -p in/sub in/.hidden out; cp '\(fixturePath("astronaut.jpg"))' in/a.jpg; cp in/a.jpg 'in/sub/b c.JPG'
        cp in/a.jpg in/.hidden/no.jpg; cp in/a.jpg in/.no.jpg; cp in/a.jpg in/unnamed; echo hello > in/notes.txt
        echo hello > in/text.jpg; : > in/empty.jpg; head -c 60000 in/a.jpg > in/cut.jpg
        mkfifo in/pipe.jpg; ln -s loop.jpg in/loop.jpg; ln -s nowhere.jpg in/dangling.jpg; ln -s .. in/up
        ln -s a.jpg in/link.jpg; mkdir in/folder.jpg out/taken.jpg; cp in/a.jpg in/taken.jpg
        """, in: folder)
      try folder.write(Samples.faceless(), to: "in/wall.jpg")
      let name = [UInt8](repeating: UInt8(ascii: "n"), count: 251)
      try BatchSamples.write(portrait, to: Array((folder / "in/").utf8) + name + Array(".jpg".utf8))
      try BatchSamples.write(portrait, to: Array((folder / "in/").utf8) + [0xE9] + Array(".jpg".utf8))
      let outcome = try Facecrop.run(
        "batch", "-r", "in", "vanished.jpg", "-d", "out", "--size", "64,32", currentDirectory: folder.path)
      #expect(outcome.status == 1)
      #expect(outcome.stdout == [])
      let manifest = try folder.manifest()
      let long = String(decoding: name, as: UTF8.self)
      let latin = Data(Array("in/".utf8) + [0xE9] + Array(".jpg".utf8)).base64EncodedString()
      let expected: [String: (String, String)] = [
        "in/a.jpg": ("cropped", ""), "in/sub/b c.JPG": ("cropped", ""), "in/unnamed": ("cropped", ""),
        "in/link.jpg": ("cropped", ""), latin: ("cropped", ""), "in/wall.jpg": ("no-face", "no-face"),
        "in/notes.txt": ("skipped", "no-picture"), "in/up": ("skipped", "link"),
        "in/text.jpg": ("failed", "unsupported"),
        "in/empty.jpg": ("failed", "corrupt"), "in/cut.jpg": ("failed", "truncated"),
        "in/pipe.jpg": ("failed", "unreadable"), "in/loop.jpg": ("failed", "unreadable"),
        "in/dangling.jpg": ("failed", "unreadable"), "vanished.jpg": ("failed", "unreadable"),
        "in/\(long).jpg": ("failed", "name"), "in/taken.jpg": ("cropped", ""),
      ]
      #expect(Set(manifest.entries.keys) == Set(expected.keys))
      #expect(manifest.lines.count == expected.count)
      for (input, (status, kind)) in expected {
        #expect(manifest.status(input) == status, "\(input)")
        #expect(manifest.reason(input).kind == kind, "\(input)")
      }
      #expect(try folder.bytes("in/a.jpg") == portrait)
      let files = try Facecrop.bash(
        "cd out; find . -type f | LC_ALL=C sort | od -An -c | tr -d ' \\n'", currentDirectory: folder.path
      ).text
      for name in ["./a-64.jpg", "./a-32.jpg", "./sub/bc-64.JPG", "./unnamed-32.jpg", "./351-64.jpg"] {
        #expect(files.contains(name), "\(name)")
      }
    }
  }

  /// A folder with an output's name, and a file where a folder is needed, fail only their inputs.
  @Test func placesThatAreTakenFailAlone() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare(
        """
        mkdir -p in/sub out/a.jpg; cp '\(fixturePath("astronaut.jpg"))' in/a.jpg; cp in/a.jpg in/b.jpg; cp in/a.jpg in/sub/c.jpg
        echo file > out/sub
        """, in: folder)
      let outcome = try Facecrop.run(["batch", "-r", "in", "-d", "out"], currentDirectory: folder.path)
      #expect(outcome.status == 1)
      let manifest = try folder.manifest()
      #expect(manifest.status("in/b.jpg") == "cropped")
      for input in ["in/a.jpg", "in/sub/c.jpg"] {
        #expect(manifest.status(input) == "failed")
        #expect(manifest.reason(input).kind == "output")
        #expect(manifest.reason(input).message.contains("folder"))
      }
      #expect(try folder.text("out/sub") == "file\n")
    }
  }

  @Test func entriesHaveWhatIsPromised() throws {
    try TemporaryFolder.with { folder in
      try folder.write(JPEGRecipe.baseline444.encode(Samples.twoFaces()), to: "in.jpg")
      let outcome = try Facecrop.run(
        ["batch", "in.jpg", "-d", "out", "--preset", "avatar", "--faces", "each"], currentDirectory: folder.path)
      #expect(outcome.status == 0)
      let entry = try #require(folder.manifest().entries["in.jpg"])
      #expect(
        keys(entry) == [
          "algorithm", "bytes", "chosen", "crops", "detector", "faces", "height", "input", "location", "milliseconds",
          "modified", "options", "origin", "outputs", "regions", "status", "width",
        ])
      #expect(entry["location"] as? String == "../in.jpg")
      #expect(keys(entry["milliseconds"]) == ["look", "detect", "render", "encode", "write"])
      #expect((entry["faces"] as? [Any])?.count == 2 && (entry["regions"] as? [Any])?.count == 2)
      let outputs = try #require(entry["outputs"] as? [[String: Any]])
      #expect(outputs.map { $0["file"] as? String } == ["in-1.jpg", "in-2.jpg"])
      for output in outputs {
        #expect(keys(output) == ["file", "width", "height", "bytes", "sha256", "crop", "landmarks"])
        let name = try #require(output["file"] as? String)
        #expect(output["bytes"] as? Int == (try folder.bytes("out/\(name)").count))
        let sum = try Facecrop.bash("sha256sum out/\(name)", currentDirectory: folder.path).text.prefix(64)
        #expect(output["sha256"] as? String == String(sum))
      }
      // The command for one image gives the same bytes.
      let one = try Facecrop.run(
        "avatar", "in.jpg", "-o", "one.jpg", "--faces", "each", currentDirectory: folder.path)
      #expect(one.status == 0)
      for number in 1...2 {
        let isSame = try folder.bytes("one-\(number).jpg") == folder.bytes("out/in-\(number).jpg")
        #expect(isSame)
      }
    }
  }

  @Test(arguments: [
    ("whole", 0, 1), ("center", 0, 1), ("attention", 0, 1), ("skip", 0, 0), ("fail", 2, 0),
  ])
  func withoutAFace(policy: String, status: Int32, outputs: Int) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.faceless(), to: "wall.jpg")
      try folder.write(Samples.portrait(), to: "face.jpg")
      let arguments = ["batch", "wall.jpg", "face.jpg", "-d", "out", "--no-face", policy, "--reject-dir", "none"]
      let outcome = try Facecrop.run(arguments, currentDirectory: folder.path)
      #expect(outcome.status == status)
      let manifest = try folder.manifest()
      #expect(manifest.status("wall.jpg") == "no-face")
      #expect((manifest.entries["wall.jpg"]?["outputs"] as? [Any] ?? []).count == outputs)
      #expect(try folder.names().contains("out"))
      #expect(
        try Facecrop.bash("ls none; stat -c %h none/wall.jpg", currentDirectory: folder.path).lines == [
          "wall.jpg", "2",
        ])
      // A second run repeats no work.
      #expect(try Facecrop.run(arguments, currentDirectory: folder.path).status == status)
      #expect(try folder.manifest().lines.count == 2)
      // A failure determines the exit status.
      try folder.write("text", to: "text.jpg")
      #expect(try Facecrop.run(arguments + ["text.jpg"], currentDirectory: folder.path).status == 1)
      #expect(try folder.text("none/text.jpg") == "text")
    }
  }

  // MARK: Inputs

  @Test func listsKeepTheStructureOfABase() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare(
        "mkdir -p in/x in/y; cp '\(fixturePath("astronaut.jpg"))' in/x/a.jpg; cp in/x/a.jpg in/y/a.jpg", in: folder)
      // Only names would collide without a base.
      let both = try Facecrop.bash(
        "find in -name '*.jpg' | facecrop batch --from-list - -d flat", currentDirectory: folder.path)
      #expect(both.status == 64)
      #expect(both.stderr.contains("in/x/a.jpg") && both.stderr.contains("in/y/a.jpg"))
      #expect(!folder.has("flat"))
      for end in ["", "0"] {
        let outcome = try Facecrop.bash(
          "find in -name '*.jpg' -print\(end) | facecrop batch --from-list - --base in -d out\(end) --size 32",
          currentDirectory: folder.path)
        #expect(outcome.status == 0)
        #expect(folder.has("out\(end)/x/a.jpg") && folder.has("out\(end)/y/a.jpg"))
      }
    }
  }

  @Test func anOutputIsNeverAnInput() throws {
    try TemporaryFolder.with { folder in
      let portrait = try Samples.portrait()
      try Facecrop.prepare("mkdir in", in: folder)
      try folder.write(portrait, to: "in/a.jpg")
      let same = try Facecrop.run("batch", "in/a.jpg", "-d", "in", currentDirectory: folder.path)
      #expect(same.status == 64)
      #expect(same.stderr.contains("in/a.jpg") && same.stderr.contains("overwrite"))
      #expect(try folder.bytes("in/a.jpg") == portrait)
      // An output folder among the inputs is skipped, also in the second run.
      for _ in 0..<2 {
        let inside = try Facecrop.run(
          ["batch", "-r", "in", "-d", "in/out", "--reject-dir", "in/none", "--size", "32"],
          currentDirectory: folder.path)
        #expect(inside.status == 0)
        #expect(try folder.manifest("in/out/manifest.ndjson").lines.count == 1)
      }
    }
  }

  // MARK: Resuming

  @Test func doneIsDoneUntilSomethingChanges() throws {
    try TemporaryFolder.with { folder in
      let inputs = ["a.jpg", "b.jpg", "bad.jpg"]
      for input in inputs { try folder.write(Samples.portrait(), to: input) }
      try folder.write("text", to: "bad.jpg")
      func run(_ arguments: String...) throws -> Int {
        let before = folder.has("out/manifest.ndjson") ? try folder.manifest().lines.count : 0
        let outcome = try Facecrop.run(
          ["batch", "-d", "out", "--size", "32"] + inputs + arguments, currentDirectory: folder.path)
        #expect((0...1).contains(outcome.status))
        return try folder.manifest().lines.count - before
      }
      #expect(try run() == 3)
      #expect(try run() == 0)
      #expect(try run("--resume") == 0)
      #expect(try run("--retry") == 1)
      #expect(try run("--quality", "80") == 3)
      #expect(try run("--quality", "80") == 0)
      #expect(try run("--padding", "0.1") == 3)
      #expect(try run("--no-resume", "--padding", "0.1") == 3)
      // A missing output is made again. A changed output is kept unless overwriting is requested: changes of the size
      // are always seen, and those of the content if requested.
      try Facecrop.prepare("rm out/a.jpg; echo more >> out/b.jpg", in: folder)
      #expect(try run("--padding", "0.1") == 1)
      #expect(try run("--padding", "0.1", "--overwrite") == 1)
      let size = try folder.bytes("out/a.jpg").count
      try folder.write([UInt8](repeating: 1, count: size), to: "out/a.jpg")
      #expect(try run("--padding", "0.1", "--overwrite") == 0)
      #expect(try run("--padding", "0.1", "--verify") == 0)
      #expect(try run("--padding", "0.1", "--verify", "--overwrite") == 1)
      // A changed input is cropped again, even one that failed.
      try folder.write(Samples.portrait(), to: "bad.jpg")
      #expect(try run("--padding", "0.1") == 1)
      #expect(try folder.manifest().status("bad.jpg") == "cropped")
      try Facecrop.prepare("touch a.jpg", in: folder)
      #expect(try run("--padding", "0.1") == 1)
    }
  }

  @Test func twoRunsAtOnceAreRefused() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        "mkdir out; : > out/manifest.ndjson; flock out/manifest.ndjson \"$FACECROP\" batch a.jpg -d out",
        currentDirectory: folder.path)
      #expect(outcome.status == 1)
      try expectSentence(outcome, about: "out/manifest.ndjson", saying: "another run", "wait for its end")
    }
  }

  // MARK: Existing files

  /// Files of others stay unchanged, and the run refuses to start.
  @Test(arguments: ["--manifest", "--plan-out"], ["{\"a\":1}\n", "{\"a\":1}", "[1,2,3]", "one\ntwo\n", "\0\0"])
  func filesOfOthersAreLeftAlone(option: String, text: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      try folder.write(text, to: "c.json")
      let outcome = try Facecrop.run(
        "batch", "a.jpg", "-d", "out", "--size", "32", option, "c.json", currentDirectory: folder.path)
      #expect(outcome.status == 1)
      try expectSentence(outcome, about: "c.json", saying: "existing", "facecrop")
      #expect(outcome.stderr.contains("(name another with \(option))"))
      #expect(try folder.text("c.json") == text)
      #expect(!folder.has("out/a.jpg"))
    }
  }

  /// A run that was killed within a line is resumed.
  @Test func aManifestThatIsCutShortIsGoneOnWith() throws {
    try TemporaryFolder.with { folder in
      for name in ["a.jpg", "b.jpg"] { try folder.write(Samples.portrait(), to: name) }
      let run = ["batch", "a.jpg", "b.jpg", "-d", "out", "--size", "32", "--plan-out", "plans.ndjson"]
      #expect(try Facecrop.run(run, currentDirectory: folder.path).status == 0)
      let (manifest, plans) = (try folder.bytes("out/manifest.ndjson"), try folder.bytes("plans.ndjson"))
      for rest in [manifest.count - 1, manifest.count - 200, 60, 20, 0] {
        try folder.write(Array(manifest.prefix(rest)), to: "out/manifest.ndjson")
        try folder.write(Array(plans.prefix(min(rest, plans.count - 5))), to: "plans.ndjson")
        #expect(try Facecrop.run(run, currentDirectory: folder.path).status == 0)
        #expect(try Set(folder.manifest().entries.keys) == ["a.jpg", "b.jpg"])
        let again = ["batch", "--plan-in", "plans.ndjson", "-d", "again", "--size", "32"]
        #expect(try Facecrop.run(again, currentDirectory: folder.path).status == 0)
      }
    }
  }

  /// A closed pipe ends a dry run without an error. With a list of plans, the run goes on until the list is complete.
  @Test func aClosedPipeIsNoError() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      for name in ["a", "b", "c"] { try folder.write(Samples.portrait(), to: "in/\(name).jpg") }
      func unread(_ options: String) throws -> Facecrop.Outcome {
        try Facecrop.bash(
          "set -o pipefail; facecrop batch -r in \(options) --progress none | true", currentDirectory: folder.path)
      }
      for options in ["--dry-run", "-d out --json", "--dry-run --plan-out plans.ndjson"] {
        let outcome = try unread(options)
        #expect(outcome.status == 0 && outcome.stderr.isEmpty, "\(options): \(outcome.stderr)")
      }
      #expect(["a", "b", "c"].allSatisfy { folder.has("out/\($0).jpg") })
      let plans = try folder.text("plans.ndjson").split(separator: "\n")
      #expect(plans.count == 4, "\(plans)")
    }
  }

  // MARK: Plans

  @Test func plansAreMadeReviewedAndApplied() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir -p in/sub", in: folder)
      try folder.write(Samples.portrait(), to: "in/a.jpg")
      try folder.write(JPEGRecipe.baseline444.encode(Samples.twoFaces()), to: "in/sub/two.jpg")
      try BatchSamples.write(Samples.portrait(), to: Array((folder / "in/").utf8) + [0xE9] + Array(".jpg".utf8))
      let wanted = ["--preset", "portrait", "--faces", "each", "--size", "90"]
      let look = try Facecrop.run(
        ["batch", "-r", "in", "--dry-run", "--plan-out", "plans.ndjson"] + wanted, currentDirectory: folder.path)
      #expect(look.status == 0)
      #expect(try folder.names() == ["in", "plans.ndjson"])
      let lines = try look.lines.map { try jsonObject($0) }
      #expect(lines.count == 3 && lines.allSatisfy { $0["dryRun"] as? Bool == true })
      #expect(lines.compactMap { ($0["outputs"] as? [Any])?.count }.sorted() == [1, 1, 2])

      #expect(
        try Facecrop.run(["batch", "-r", "in", "-d", "direct"] + wanted, currentDirectory: folder.path).status == 0)
      let render = try Facecrop.run(
        ["batch", "-r", "in", "--plan-in", "plans.ndjson", "-d", "planned"] + wanted, currentDirectory: folder.path)
      #expect(render.status == 0)
      #expect(try folder.checksums("planned") == folder.checksums("direct"))
      #expect(try folder.checksums("planned").count == 4)

      // Without inputs the plans name them. An edited plan is applied again, the others are not.
      var text = try folder.text("plans.ndjson")
      text = text.split(separator: "\n").filter { !$0.contains("two.jpg") }.joined(separator: "\n") + "\n"
      try folder.write(
        text.replacing(/"region":\{"height":[0-9.]*/, with: "\"region\":{\"height\":0.25", maxReplacements: 1),
        to: "edited.ndjson")
      let count = try folder.manifest("planned/manifest.ndjson").lines.count
      let edited = try Facecrop.run(
        ["batch", "--plan-in", "edited.ndjson", "-d", "planned", "--base", "in"] + wanted, currentDirectory: folder.path
      )
      #expect(edited.status == 0)
      #expect(try folder.manifest("planned/manifest.ndjson").lines.count == count + 1)
      // An input without a plan gets a detection pass.
      let some = try Facecrop.run(
        ["batch", "-r", "in", "--plan-in", "edited.ndjson", "-d", "some"] + wanted, currentDirectory: folder.path)
      #expect(some.status == 0)
      #expect(try folder.checksums("some").count == 4)
      #expect(try folder.bytes("some/sub/two-1.jpg") == folder.bytes("direct/sub/two-1.jpg"))
    }
  }

  @Test func correctionsOutliveOtherOptions() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      for name in ["a.jpg", "b.jpg"] { try folder.write(Samples.portrait(), to: "in/\(name)") }
      let command = ["batch", "-r", "in", "-d", "out", "--preset", "avatar", "--size", "64"]
      func run(_ more: String...) throws -> (lines: Int, saidOnErrors: String) {
        let outcome = try Facecrop.run(command + more, currentDirectory: folder.path)
        #expect(outcome.status == 0)
        return (try folder.manifest().lines.count, outcome.stderr)
      }
      let first = try run("--plan-out", "plans.ndjson").lines
      let looked = try folder.bytes("out/a.jpg")
      let lines = try folder.text("plans.ndjson").split(separator: "\n")
      let line = try #require(lines.first { $0.contains("in/a.jpg") })
      let corner = #""region":{"x":0,"y":0,"width":0.5,"height":0.5}"#
      try folder.write(line.replacing(/"region":\{[^}]*\}/, with: corner) + "\n", to: "hand.ndjson")

      // Only the edited one is made again.
      #expect(try run("--plan-in", "hand.ndjson").lines == first + 1)
      let hand = try folder.bytes("out/a.jpg")
      #expect(hand != looked)
      #expect(try folder.manifest().entries["in/a.jpg"]?["plan"] is String)
      // It stays, with that plan and without any.
      #expect(try run("--plan-in", "hand.ndjson").lines == first + 1)
      #expect(try run().lines == first + 1)
      #expect(try folder.bytes("out/a.jpg") == hand)
      // A plan that nobody edited does not replace the correction.
      try folder.write(line + "\n", to: "hand.ndjson")
      #expect(try run("--plan-in", "hand.ndjson").lines == first + 1)
      #expect(try folder.bytes("out/a.jpg") == hand)
      // A person's does; a rejected one gives no image, and its output is pruned.
      try folder.write(line.replacing(/"digest":"[0-9a-f]*",/, with: "") + "\n", to: "hand.ndjson")
      #expect(try run("--plan-in", "hand.ndjson").lines == first + 2)
      #expect(try folder.bytes("out/a.jpg") == looked)
      try folder.write(line.replacing(/"crops":\[.*?\}\],/, with: #""crops":[],"#) + "\n", to: "hand.ndjson")
      #expect(try run("--plan-in", "hand.ndjson", "--prune").lines == first + 3)
      #expect(try folder.manifest().status("in/a.jpg") == "skipped")
      #expect(try folder.manifest().reason("in/a.jpg").kind == "rejected")
      #expect(!folder.has("out/a.jpg") && folder.has("out/b.jpg"))
      // Plans for other inputs with other contents cause a message.
      let other = line.replacing("in/a.jpg", with: "in/c.jpg")
        .replacing(/"content":"image:[0-9a-f]{8}/, with: #""content":"image:00000000"#)
      try folder.write(other + "\n", to: "hand.ndjson")
      #expect(try run("--plan-in", "hand.ndjson").saidOnErrors.contains("facecrop: hand.ndjson: warning: 1 plan is"))
      // `--no-resume` makes all outputs again.
      #expect(try run("--no-resume").lines == first + 5)
      #expect(try folder.bytes("out/a.jpg") == looked)
    }
  }

  // MARK: Usage

  @Test(arguments: [
    ("batch -d out", "--from-list"), ("batch a.jpg", "-d"), ("batch a.jpg -d out --jobs 0", "--jobs 0"),
    ("batch a.jpg -d out --jobs 8 --memory 100MiB", "--memory"), ("batch - -d out", "--from-list"),
    ("batch a.jpg -d out --name x.jpg", "{stem}"), ("batch a.jpg -d out --name {stem}.{ext} --faces each", "{index}"),
    ("batch a.jpg -d out --name {stem}.{ext} --size 1,2", "{size}"), ("batch a.jpg -d out --name {stem}.heic", "HEIC"),
    ("batch a.jpg -d out --reject-dir ./out", "--reject-dir"),
    ("batch a.jpg -d out --shape circle", "PNG, WebP"), ("batch --worker -d out", "--output-dir"),
    ("batch --worker --shard 0/2", "--shard"), ("batch a.jpg -d out --shard 2/2", "--shard"),
    ("batch a.jpg -d out --shard 1", "--shard"),
    ("batch a.jpg -d out --plan-in p --plan-out p", "--plan-out"),
    ("batch a.jpg -d out --template arcface-112 --no-face-dir n", "--no-face-dir"),
    ("batch a.jpg --dry-run --report r.html", "--dry-run"),
    ("batch a.jpg -d out --lossless --size 64", "--size"),
    ("batch a.jpg -d out --lossless --quality 50", "--quality"),
    ("batch a.jpg -d out --lossless --format png", "PNG"),
    ("batch a.jpg -d out --lossless --name {stem}.webp", "WebP"),
    ("batch --worker --lossless --align", "--align"),
    ("batch a.jpg -d out --name {stem}.png --quality 50", "--quality"),
    ("batch a.jpg -d out --pad edge", "--preset"),
  ])
  func wrongUsageIsSaidBeforeAnythingIsDone(arguments: String, word: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.run(arguments.split(separator: " ").map(String.init), currentDirectory: folder.path)
      #expect(outcome.status == 64)
      #expect(outcome.stderr.contains(word), "\(outcome.stderr)")
      #expect(try folder.names() == ["a.jpg"])
    }
  }

  /// Large multi-scan images: whole, cut losslessly, and small. The budget is the least that admits them.
  @Test(
    .enabled(if: Facecrop.canMeasureMemory),
    arguments: [["--padding", "50"], ["--padding", "50", "--lossless"], ["--preset", "avatar", "--size", "512"]])
  func memoryStaysWithinTheBudget(wanted: [String]) throws {
    try TemporaryFolder.with { folder in
      let picture = try JPEGRecipe.progressive.encode(largePortrait(width: 2_400, height: 3_200))
      let path = try folder.write(picture, to: "picture.jpg")
      try Facecrop.prepare("mkdir in; for i in 1 2 3 4; do ln '\(path)' in/$i.jpg; done", in: folder)
      let (status, bytes) = try Facecrop.peakMemory(
        ["batch", "-r", folder / "in", "-d", folder / "out", "--jobs", "2", "--memory", "256MiB"] + wanted)
      #expect(status == 0)
      #expect(bytes < 256 << 20)
      #expect(try folder.manifest().count("cropped") == 4)
    }
  }

  @Test func memoryIsGrantedOrRefused() throws {
    try TemporaryFolder.with { folder in
      try folder.write(try Samples.large.get(), to: "large.jpg")
      try folder.write(Samples.portrait(), to: "small.jpg")
      let outcome = try Facecrop.run(
        "batch", "large.jpg", "small.jpg", "-d", "out", "--jobs", "1", "--memory", "112MiB",
        currentDirectory: folder.path)
      #expect(outcome.status == 1)
      let manifest = try folder.manifest()
      #expect(manifest.reason("large.jpg").kind == "memory")
      #expect(manifest.reason("large.jpg").message.contains("--memory"))
      #expect(manifest.status("small.jpg") == "cropped")
    }
  }
}
