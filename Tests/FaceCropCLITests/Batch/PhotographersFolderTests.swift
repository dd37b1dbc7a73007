import ArgumentParser
import FaceCrop
import Foundation
import TestSupport
import Testing

@testable import FaceCropCLI

/// Photographers' folders: other files beside the images, RAW files, names that differ only in the extension.
@Suite struct PhotographersFolderTests {
  private static let small = "--size 48 --jobs 1 --no-face whole"

  private static func sidecars() throws -> [(name: String, bytes: [UInt8])] {
    let raw = try raw(of: Samples.portrait())
    let text = Array("<?xml version=\"1.0\"?>".utf8)
    return [
      ("IMG_1.xmp", text), ("IMG_1.nothing", []), ("IMG_1.json", text), ("IMG_1.txt", text), ("IMG_1.AAE", text),
      ("IMG_1.MOV", [0, 0, 0, 0x14] + Array("ftypqt  ".utf8) + [UInt8](repeating: 0, count: 40)),
      ("IMG_1.THM", try Samples.portrait()), ("IMG_1.NEF", raw), ("IMG_1.CR2", raw),
    ]
  }

  /// Returns a RAW file with the image as its preview.
  private static func raw(of picture: [UInt8]) throws -> [UInt8] {
    RAWBuilder(.nef, preview: picture, thumbnail: [], samples: [UInt8](repeating: 0, count: 9_000)).encoded()
  }

  @Test(
    arguments: [
      (nil, ["a.JPG", "c.jpg"]), ("jpeg", ["a.JPG", "c.jpg"]), ("raw", ["a.jpg", "c.jpg"]),
      ("both", ["a.JPG", "a.NEF.jpg", "c.jpg"]),
    ] as [(String?, [String])])
  func aRAWFileAndItsJPEGAreOnePicture(policy: String?, names: [String]) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      try folder.write(Samples.portrait(), to: "in/a.JPG")
      for name in ["a.NEF", "c.NEF"] { try folder.write(Self.raw(of: Samples.portrait()), to: "in/\(name)") }
      let outcome = try Facecrop.bash(
        """
        "$FACECROP" batch -r in -d out \(Self.small) \(policy.map { "--pairs \($0)" } ?? "")
        ls out | grep -v manifest
        """, currentDirectory: folder.path)
      #expect(outcome.lines == names, "\(outcome.stderr)")
      let manifest = try folder.manifest()
      #expect(manifest.status("in/a.JPG") == (policy == "raw" ? "skipped" : "cropped"))
      #expect(manifest.status("in/a.NEF") == ([nil, "jpeg"].contains(policy) ? "skipped" : "cropped"))
      #expect(manifest.status("in/c.NEF") == "cropped")
      #expect(policy == "both" || outcome.stderr.contains("pair 1"), "\(outcome.stderr)")
    }
  }

  @Test func sidecarsAreSkipped() throws {
    for sidecar in try Self.sidecars() {
      try TemporaryFolder.with { folder in
        try Facecrop.prepare("mkdir in", in: folder)
        try folder.write(Samples.portrait(), to: "in/IMG_1.JPG")
        try folder.write(sidecar.bytes, to: "in/\(sidecar.name)")
        let outcome = try Facecrop.bash("\"$FACECROP\" batch -r in -d out \(Self.small)", currentDirectory: folder.path)
        #expect(outcome.status == 0, "\(sidecar.name): \(outcome.stderr)")
        let manifest = try folder.manifest()
        #expect(manifest.status("in/IMG_1.JPG") == "cropped", "\(sidecar.name)")
        #expect(manifest.status("in/\(sidecar.name)") == "skipped", "\(sidecar.name)")
      }
    }
  }

  /// A phone's HEIC and JPEG files of one shot are one photo, by their names alone; so are three files of one shot.
  @Test(
    arguments: [
      ([], ["IMG_1.jpg", "IMG_2.jpg"], 3), (["--pairs", "raw"], ["IMG_1.jpg", "IMG_2.jpg"], 3),
      (["--pairs", "both"], ["IMG_1.HEIC.jpg", "IMG_1.JPG", "IMG_2.HEIC.jpg", "IMG_2.JPG", "IMG_2.NEF.jpg"], 0),
    ] as [([String], [String], Int)])
  func oneShotIsOnePhoto(options: [String], names: [String], skipped: Int) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      for name in ["IMG_1.HEIC", "IMG_1.JPG", "IMG_2.HEIC", "IMG_2.JPG", "IMG_2.NEF"] {
        try folder.write(Samples.portrait(), to: "in/\(name)")
      }
      let run = try Facecrop.run(
        ["batch", "-r", "in", "-d", "out", "--size", "64", "--json"] + options, currentDirectory: folder.path)
      #expect(run.status == 0, "\(run.stderr)")
      #expect(try jsonObject(run.text)["skipped"] as? Int == skipped)
      let found = try Facecrop.prepare("ls out | grep -v manifest", in: folder).lines
      #expect(found.map { $0.lowercased() } == names.map { $0.lowercased() })
      let manifest = try folder.manifest()
      let taken = options.contains("raw") ? "in/IMG_2.NEF" : "in/IMG_2.JPG"
      #expect(manifest.status(taken) == "cropped")
      if skipped > 0 { #expect(manifest.reason("in/IMG_2.HEIC").message.contains("--pairs both")) }
    }
  }

  /// Runs two images with one name, listed in either order.
  private static func collision(_ policy: String, reversed: Bool) throws -> (
    status: Int32, names: [String], stderr: String
  ) {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in", in: folder)
      try folder.write(Samples.portrait(), to: "in/a.jpg")
      try folder.write(Samples.portrait() + [1], to: "in/a.gif")
      try folder.write(Array("a text".utf8), to: "in/a.txt")
      let names = reversed ? "in/a.jpg in/a.gif" : "in/a.gif in/a.jpg"
      let outcome = try Facecrop.bash(
        """
        "$FACECROP" batch \(names) -d out \(Self.small) --on-collision \(policy); status=$?
        ls out 2>/dev/null | grep -v manifest; exit $status
        """, currentDirectory: folder.path)
      return (outcome.status, outcome.lines, outcome.stderr)
    }
  }

  @Test(
    arguments: [
      ("fail", 64, []), ("number", 0, ["a-2.jpg", "a.jpg"]), ("first", 0, ["a.jpg"]),
      ("keep-extension", 0, ["a.gif.jpg", "a.jpg"]),
    ] as [(String, Int32, [String])])
  func collisionsAreSettledAsAsked(policy: String, status: Int32, names: [String]) throws {
    for reversed in [false, true] {
      let outcome = try Self.collision(policy, reversed: reversed)
      #expect(outcome.status == status, "\(outcome.stderr)")
      #expect(outcome.names == names)
      if policy == "fail" { #expect(outcome.stderr.contains("--on-collision")) }
    }
  }

  /// The names do not depend on the order of the list, and a second run finds all done.
  @Test func aNameStaysItsInputs() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      try folder.write(Samples.portrait() + [1], to: "a.gif")
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch "$@" -d out \(Self.small) --on-collision number --progress json 2>&1 | tail -n 1; }
        run a.jpg a.gif; run a.gif a.jpg; cp a.gif a.aaa.gif; mv a.aaa.gif a.GIF; run a.GIF a.gif a.jpg; ls out | grep -v manifest
        """, currentDirectory: folder.path)
      #expect(outcome.lines[0].contains("\"doneBefore\":0"))
      #expect(outcome.lines[1].contains("\"doneBefore\":2"))
      // The new one comes first, so the other two get new names and are made again.
      #expect(outcome.lines[2].contains("\"doneBefore\":0"))
      #expect(Array(outcome.lines.dropFirst(3)) == ["a-2.jpg", "a-3.jpg", "a.jpg"])
      let outputs = try folder.manifest().entries.mapValues { entry in
        (entry["outputs"] as? [[String: Any]])?.first?["file"] as? String
      }
      #expect(outputs == ["a.GIF": "a.jpg", "a.gif": "a-2.jpg", "a.jpg": "a-3.jpg"])
    }
  }

  @Test func aJPEGIsNeverCalledLikeAnotherPicture() throws {
    try TemporaryFolder.with { folder in
      let portrait = try Samples.portrait()
      for name in ["pet.HIF", "cat.png", "cat.jpg", "cat"] { try folder.write(portrait, to: name) }
      let outcome = try Facecrop.bash(
        """
        "$FACECROP" batch pet.HIF cat.png cat.jpg cat -d out \(Self.small) --name '{name}' >&2; echo $?
        ls out | grep -v manifest
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["0", "cat", "cat.jpg", "cat.png.jpg", "pet.HIF.jpg"], "\(outcome.stderr)")
    }
  }

  /// Files that are no images are not read, so they may have any size.
  @Test func filmsAreSkipped() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in; truncate -s 300M in/film.mov", in: folder)
      try folder.write(Samples.portrait(), to: "in/a.jpg")
      let outcome = try Facecrop.bash("\"$FACECROP\" batch -r in -d out \(Self.small)", currentDirectory: folder.path)
      #expect(outcome.status == 0, "\(outcome.stderr)")
      #expect(try folder.manifest().status("in/film.mov") == "skipped")
    }
  }

  /// The options for outputs identify a run.
  @Test func anotherBoundIsAnotherRun() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch a.jpg -d out --size 200 "$@" --progress json 2>&1 | tail -n 1 | grep -o '"doneBefore":.'; }
        run; run; run --max-bytes 3K; stat -c %s out/a.jpg; run --max-bytes 3K
        """, currentDirectory: folder.path)
      #expect(outcome.lines.count == 5)
      #expect([0, 1, 2, 4].map { outcome.lines[$0].last } == ["0", "1", "0", "1"])
      #expect(try #require(Int(outcome.lines[3])) <= 3_000)
    }
  }

  // MARK: Messages

  @Test func failuresAreNamed() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir in; for i in $(seq 10 39); do echo text > in/$i.jpg; done", in: folder)
      let outcome = try Facecrop.bash("\"$FACECROP\" batch -r in -d out --jobs 1", currentDirectory: folder.path)
      #expect(outcome.status == 1)
      let named = outcome.errorLines.filter { $0.contains(#/^facecrop: in/\d+\.jpg: /#) }
      #expect(named.count == BatchProgress.mostNamed)
      #expect(outcome.errorLines.count { $0.hasPrefix("facecrop: ") } == BatchProgress.mostNamed + 1)
      let json = try Facecrop.bash(
        "\"$FACECROP\" batch -r in -d out --jobs 1 --retry --progress json", currentDirectory: folder.path)
      let errors = try json.errorLines.map { try jsonObject($0) }.filter { $0["event"] as? String == "error" }
      #expect(errors.count == 30 && errors.allSatisfy { $0["kind"] as? String == "unsupported" })
    }
  }

  @Test(arguments: ["nosuchfolder", "-r nosuchfolder", "photos", "nosuch.jpg other.jpg"])
  func unusableInputsCreateNoFolder(arguments: String) throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir photos", in: folder)
      let outcome = try Facecrop.bash(
        "\"$FACECROP\" batch \(arguments) -d out; echo $?; ls", currentDirectory: folder.path)
      #expect(outcome.lines == ["64", "photos"], "\(outcome.stderr)")
    }
  }

  @Test func anEmptyFolderIsSaidToBe() throws {
    try TemporaryFolder.with { folder in
      let outcome = try Facecrop.bash(
        "mkdir photos; \"$FACECROP\" batch -r photos -d out; echo $?; ls", currentDirectory: folder.path)
      #expect(outcome.lines == ["0", "photos"])
      #expect(outcome.errorLines.count == 1 && outcome.stderr.hasPrefix("facecrop: photos: "))
    }
  }

  @Test func outputsThatAreSmallerThanAskedForAreCounted() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      for _ in 0..<2 {
        let outcome = try Facecrop.bash(
          "\"$FACECROP\" batch a.jpg -d out --size 5000,64", currentDirectory: folder.path)
        #expect(
          outcome.errorLines.contains { $0.hasPrefix("outputs") && $0.hasSuffix("2, 1 of them smaller than requested") }
        )
      }
    }
  }

  // MARK: Transient errors

  @Test func aFolderWithAnOutputsNameIsNotTransient() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      try folder.write(Array(try Samples.portrait().prefix(900)), to: "cut.jpg")
      let outcome = try Facecrop.bash(
        """
        mkdir -p out/a.jpg
        run() { "$FACECROP" batch a.jpg cut.jpg -d out \(Self.small) --progress json 2>&1 | tail -n 1; }
        run; rmdir out/a.jpg; run; run
        """, currentDirectory: folder.path)
      #expect(outcome.lines[0].contains("\"failed\":2"))
      // A folder in an output's place and a truncated file are not transient errors.
      #expect(outcome.lines[1].contains("\"failed\":2") && outcome.lines[1].contains("\"doneBefore\":2"))
    }
  }

  @Test(arguments: [
    (FaceCropError.outOfMemory, true), (.modelMissing(name: "m", searched: []), true), (.libraryMissing("l"), true),
    (.corrupt("c"), false), (.noFace, false), (.overLimit(.pixels, actual: 2, allowed: .max), false),
  ])
  func retriesTransientErrors(error: FaceCropError, isTriedAgain: Bool) throws {
    let version = FileVersion(bytes: 1, modified: 2)
    let entry = ManifestEntry(
      "a.jpg", location: "a.jpg", version, Outcome(error), options: "o", isDryRun: false)
    func isDone(_ arguments: String...) throws -> Bool {
      Resumption(entries: ["a.jpg": entry], folder: "out", choices: try .parse(arguments))
        .outcome(of: "a.jpg", version, options: "o", plan: nil) != nil
    }
    #expect(try isDone() == !isTriedAgain)
    #expect(try !isDone("--retry"))
  }

  // MARK: Files of earlier runs

  /// The guide's jq command gives the last record of each input.
  @Test func theLastRecordsAreHadByTheGuidesLine() throws {
    let guide = try String(contentsOfFile: fixturePath("../../GUIDE.md"), encoding: .utf8)
    let line = try #require(guide.split(separator: "\n").first { $0.hasPrefix("jq ") && $0.contains("group_by") })
    try TemporaryFolder.with { folder in
      for name in ["a.jpg", "b.jpg"] { try folder.write(Samples.portrait(), to: name) }
      let outcome = try Facecrop.bash(
        """
        for size in 40 20; do "$FACECROP" batch a.jpg b.jpg -d portraits --size $size --progress none; done
        \(line) | grep -o '"file":"[^"]*"\\|"height":20'
        """, currentDirectory: folder.path)
      #expect(
        outcome.lines == ["\"file\":\"a.jpg\"", "\"height\":20", "\"file\":\"b.jpg\"", "\"height\":20"],
        "\(outcome.stderr)")
    }
  }

  @Test func staleOutputsAreSaidAndRemovedWhenAsked() throws {
    try TemporaryFolder.with { folder in
      let portrait = try Samples.portrait()
      try Facecrop.prepare("mkdir in", in: folder)
      for name in ["a.jpg", "b.jpg", "c.jpg"] { try folder.write(portrait, to: "in/\(name)") }
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch -r in -d out --jobs 1 "$@"; echo "status $?"; }
        left() { grep -o -e '^status.*' -e '^[0-9]* outputs* of earlier runs.*' | sed 's/ of earlier runs.*\\(--prune\\).*/ \\1/; s/ of earlier runs.*/ /'; }
        run --size 40,20 2>&1 | left
        echo mine > out/mine.jpg
        rm in/b.jpg
        run --size 40 2>&1 | left
        ls out | grep -v manifest | tr '\n' ' '; echo
        printf x | dd of=out/b-20.jpg bs=1 seek=200 conv=notrunc 2> /dev/null
        run --size 40 --prune 2>&1 | left
        ls out | grep -v manifest | tr '\n' ' '; echo
        run --size 40 --prune 2>&1 | left
        """, currentDirectory: folder.path)
      #expect(
        outcome.lines == [
          "status 0",
          "6 outputs --prune", "status 0",
          "a-20.jpg a-40.jpg a.jpg b-20.jpg b-40.jpg c-20.jpg c-40.jpg c.jpg mine.jpg ",
          // Outputs that were changed since are not pruned.
          "5 outputs ", "status 0", "a.jpg b-20.jpg c.jpg mine.jpg ", "status 0",
        ], "\(outcome.stderr)")
    }
  }

  /// An edited record may name any file. Others are still pruned, and nothing outside of the folder is removed.
  @Test func recordsThatLeadOutPruneNothing() throws {
    try TemporaryFolder.with { folder in
      for name in ["a.jpg", "b.jpg"] { try folder.write(Samples.portrait(), to: name) }
      let outcome = try Facecrop.bash(
        """
        mkdir in; mv a.jpg b.jpg in
        "$FACECROP" batch -r in -d out --jobs 1 --size 20
        cp out/b.jpg x
        record=$(grep '"file":"b.jpg"' out/manifest.ndjson)
        echo "${record/'"file":"b.jpg"'/'"file":"../x"'}" >> out/manifest.ndjson
        rm in/b.jpg
        "$FACECROP" batch -r in -d out --jobs 1 --size 20 --prune
        """, currentDirectory: folder.path)
      #expect(outcome.status == 0, "\(outcome.stderr)")
      #expect(try folder.text("out/manifest.ndjson").contains("../x"))
      #expect(folder.has("x") && folder.has("out/a.jpg") && !folder.has("out/b.jpg"), "\(outcome.stderr)")
    }
  }

  @Test func anInterruptedRunSaysHowToGoOn() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.large.get(), to: "it's large.jpg")
      let outcome = try Facecrop.bash(
        """
        mkdir in; for i in $(seq 200); do ln "it's large.jpg" "in/it's $i.jpg"; done
        "$FACECROP" batch -r in "in/it's 1.jpg" -d out --jobs 1 & until [ "$(wc -l < out/manifest.ndjson)" -gt 2 ]; do sleep 0.1; done 2> /dev/null
        kill -TERM $!; wait $!; echo $?
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["130"])
      let line = try #require(outcome.errorLines.first { $0.hasPrefix("To continue: ") })
      #expect(line.hasSuffix("batch -r in 'in/it'\\''s 1.jpg' -d out --jobs 1"))
    }
  }

  @Test func theLeastMemoryThatIsNamedWorks() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      for jobs in [1, 2, 5] {
        let refused = try Facecrop.bash(
          "\"$FACECROP\" batch a.jpg -d out --jobs \(jobs) --memory 10M", currentDirectory: folder.path)
        #expect(refused.status == 64)
        let word = try #require(refused.stderr.split(separator: " ").first { $0.hasSuffix("MiB") })
        let taken = try Facecrop.bash(
          "\"$FACECROP\" batch a.jpg -d out --size 32 --jobs \(jobs) --memory \(word)", currentDirectory: folder.path)
        #expect(taken.status == 0, "\(taken.stderr)")
        let less = Int(word.dropLast(3))! - 1
        let tooLittle = try Facecrop.bash(
          "\"$FACECROP\" batch a.jpg -d out --jobs \(jobs) --memory \(less)MiB", currentDirectory: folder.path)
        #expect(tooLittle.status == 64)
      }
    }
  }
}
