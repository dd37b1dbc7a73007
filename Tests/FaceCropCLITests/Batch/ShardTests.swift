import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import FaceCropCLI

/// `--shard i/n`: parts of a run that together are the whole run.
@Suite struct ShardTests {
  @Test(arguments: ["", "0", "/", "1/", "/2", "2/2", "-1/2", "0/0", "0/2/3", "a/b", "0/1000001", " 0/2"])
  func refusesInvalidShards(text: String) { #expect(Shard(argument: text) == nil) }

  /// Golden values from `printf NAME | sha256sum`, since shards that run on different days rely on them.
  @Test(arguments: [("a.jpg", 2), ("b/c.jpg", 3), ("Zoë.jpg", 0)])
  func partOfAName(name: String, index: Int) throws {
    #expect((0..<4).filter { Shard(index: $0, count: 4).has(FilePath(name)) } == [index])
  }

  @Test func unionIsTheWhole() throws {
    try TemporaryFolder.with { folder in
      let portrait = try folder.write(Samples.portrait(), to: "portrait.jpg")
      let outcome = try Facecrop.bash(
        """
        mkdir -p in/deep
        for i in $(seq 12); do ln '\(portrait)' in/$i.jpg; ln '\(portrait)' in/deep/$i.jpg; done
        echo text > in/poison.jpg
        run() { "$FACECROP" batch -r in --preset avatar --size 32 --progress none "$@"; }
        run -d whole; echo $?
        for i in 0 1 2 3; do run -d parts --shard $i/4 & done; wait
        diff <(cd whole && find . -name '*.jpg' -exec sha256sum {} + | sort) \
             <(cd parts && find . -name '*.jpg' -exec sha256sum {} + | sort) && echo same
        timeless() { sed '/^{"format":/d; s/"milliseconds":{[^}]*},//' "$@" | sort; }
        diff <(timeless whole/manifest.ndjson) <(timeless parts/manifest-?-of-4.ndjson) && echo same
        ls parts/*.ndjson | wc -l; cat parts/*.ndjson | grep -c '"input":'
        (cd in && "$FACECROP" batch -r . --preset avatar --size 32 --progress none -d ../moved --shard 2/4)
        outputs() { grep -o '"file":"[^"]*"' $1/manifest-2-of-4.ndjson | sort; }
        diff <(outputs parts) <(outputs moved) && echo same
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["1", "same", "same", "4", "25", "same"])
      // Each run with the file names the failure.
      #expect(
        outcome.errorLines.count == 2 && outcome.errorLines.allSatisfy { $0.contains("poison.jpg: ") })
    }
  }

  /// Schedulers wait only for every shard's manifest.
  @Test func aPartOfNothingHasItsManifest() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let part = try #require((0..<4).first { !Shard(index: $0, count: 4).has("a.jpg") })
      let outcome = try Facecrop.bash(
        "\"$FACECROP\" batch a.jpg -d out --shard \(part)/4; echo $?; ls out; wc -l < out/manifest-\(part)-of-4.ndjson",
        currentDirectory: folder.path)
      #expect(outcome.lines == ["0", "manifest-\(part)-of-4.ndjson", "1"], "\(outcome.stderr)")
    }
  }

  /// An input would be in two shards, and have two records.
  @Test func anotherNumberOfShardsIsRefused() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch a.jpg -d out --preset avatar --size 32 --progress none "$@"; echo $?; }
        run --shard 0/2; run --shard 1/2
        run --shard 0/3; run --shard 2/3 --manifest own.ndjson; run --shard 0/3 --dry-run
        run --shard 0/2
        cat out/*.ndjson | grep -c '"input":'
        """, currentDirectory: folder.path)
      #expect(outcome.lines.filter { $0.count < 3 } == ["0", "0", "64", "0", "0", "0", "1"], "\(outcome.stderr)")
      #expect(outcome.stderr.contains("2 shards") && outcome.stderr.contains("one of 3"))
    }
  }

  /// A plain run and shards have manifests of their own, and would not know each other's outputs.
  @Test func aRunAndShardsDoNotShareAFolder() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        """
        run() { "$FACECROP" batch a.jpg --preset avatar --size 32 --progress none "$@"; echo $?; }
        run -d one; run -d one --shard 0/2
        run -d two --shard 0/2; run -d two; run -d two --manifest own.ndjson
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["0", "64", "0", "64", "0"], "\(outcome.stderr)")
      #expect(outcome.stderr.contains("without --shard") && outcome.stderr.contains("2 shards"))
    }
  }

  /// A folder that is not mounted is empty, so none of its shards is done.
  @Test func partsOfNothingAtAllFail() throws {
    try TemporaryFolder.with { folder in
      let outcome = try Facecrop.bash(
        "mkdir in; \"$FACECROP\" batch -r in -d out --shard 0/2; echo $?; ls", currentDirectory: folder.path)
      #expect(outcome.lines == ["1", "in"], "\(outcome.stderr)")
    }
  }

  /// Outputs that would overwrite each other are found across shards.
  @Test func collisionsOfOtherParts() throws {
    try TemporaryFolder.with { folder in
      let portrait = try folder.write(Samples.portrait(), to: "a.jpg")
      try Facecrop.prepare("mkdir b; ln '\(portrait)' b/a.jpg", in: folder)
      for shard in ["0/2", "1/2"] {
        let outcome = try Facecrop.run(
          "batch", "a.jpg", "b/a.jpg", "-d", "out", "--shard", shard, currentDirectory: folder.path)
        #expect(outcome.status == 64)
      }
    }
  }
}
