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

  /// Outputs that would overwrite each other are found across shards, and other shards do not know of them.
  @Test func collisionsOfOtherParts() throws {
    let count = 16
    func part(_ name: String) -> Int { (0..<count).first { Shard(index: $0, count: count).has(FilePath(name)) }! }
    let stem = try #require((0..<99).map(String.init).first { part("\($0).jpg") != part("\($0).png") })
    let others = [part("\(stem).jpg"), part("\(stem).png")]
    let third = try #require((0..<count).first { !others.contains($0) })
    try TemporaryFolder.with { folder in
      // Both contents are JPEG, so that both outputs have its extension.
      try Facecrop.prepare("mkdir in", in: folder)
      for ending in ["jpg", "png"] { try folder.write(Samples.portrait(), to: "in/\(stem).\(ending)") }
      for (shard, status) in [(others[0], 64), (others[1], 64), (third, 0)] {
        for inputs in ["-r in", "in/\(stem).jpg in/\(stem).png"] {
          let outcome = try Facecrop.bash(
            "\"$FACECROP\" batch \(inputs) -d out --shard \(shard)/\(count); echo $?", currentDirectory: folder.path)
          #expect(outcome.lines == ["\(status)"], "\(inputs), \(shard): \(outcome.stderr)")
        }
      }
    }
  }

  /// Other shards' files are neither opened nor looked at, in folders and in lists.
  @Test(arguments: ["-r in", "--from-list list --base in"]) func namesOfOtherPartsCostNothing(inputs: String) throws {
    let (count, all) = (8, (0..<40).map { "\($0)" })
    // With an extension, without one, and in a subfolder.
    let names = all.map { "\($0).jpg" } + all.map { "n\($0)" } + all.map { "sub/\($0).jpg" }
    let shard = Shard(index: 3, count: count)
    func stem(_ name: String) -> String { FilePath(name).removingLastComponent().string + (FilePath(name).stem ?? "") }
    let own = names.filter { shard.has(FilePath($0)) }
    let rivals = Set(own.map(stem))
    try TemporaryFolder.with { folder in
      let portrait = try folder.write(Samples.portrait(), to: "portrait")
      let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <stdarg.h>
        #include <stdio.h>
        #include <sys/stat.h>

        static void note(const char *path) {
          FILE *file = fopen("/dev/fd/9", "a");
          if (file == NULL) return;
          fprintf(file, "%s\\n", path);
          fclose(file);
        }
        #define NEXT(name) __typeof__(&name) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
        int open(const char *path, int flags, ...) {
          va_list rest;
          va_start(rest, flags);
          const mode_t mode = va_arg(rest, mode_t);
          va_end(rest);
          note(path);
          NEXT(open);
          return next(path, flags, mode);
        }
        int fstatat(int folder, const char *path, struct stat *status, int flags) {
          note(path);
          NEXT(fstatat);
          return next(folder, path, status, flags);
        }

        """
      try folder.write(source, to: "note.c")
      try folder.write(names.map { "in/\($0)\n" }.joined(), to: "list")
      try Facecrop.prepare(
        "cc -shared -fPIC -o note.so note.c; mkdir -p in/sub; for i in $(cat list); do ln '\(portrait)' $i; done",
        in: folder)
      let outcome = try Facecrop.bash(
        """
        LD_PRELOAD=$PWD/note.so "$FACECROP" batch \(inputs) -d out --size 32 --progress none --shard 3/\(count) \
          9> paths; echo $?
        cat paths
        """, currentDirectory: folder.path)
      #expect(outcome.lines.first == "0", "\(outcome.stderr)")
      let seen = Set(outcome.lines.filter { $0.hasPrefix("in/") }.map { String($0.dropFirst(3)) }).intersection(names)
      #expect(seen.isSuperset(of: own) && !own.isEmpty)
      #expect(seen.allSatisfy { rivals.contains(stem($0)) })
      #expect(names.contains { !rivals.contains(stem($0)) })
    }
  }

  /// A long listing is not silent, and its time counts.
  @Test func aLongListingTellsItsProgress() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      func run(_ progress: String) throws -> Facecrop.Outcome {
        try Facecrop.bash(
          "(echo a.jpg; sleep 4) | \"$FACECROP\" batch --from-list - -d out --size 32 --progress \(progress)",
          currentDirectory: folder.path)
      }
      let text = try run("bar")
      #expect(text.stderr.contains("0 names\r"), "\(text.stderr)")
      #expect(text.stderr.contains(/in 0:0[3-9]/), "\(text.stderr)")
      #expect(!text.stderr.contains("0/0"), "\(text.stderr)")
      let events = try run("json").errorLines.map { try jsonObject($0) }
      #expect(events.first?["event"] as? String == "listing" && events.first?["names"] as? Int == 0)
      #expect(try #require(events.last?["seconds"] as? Double) >= 3)
      #expect(try run("none").stderr == "")
    }
  }
}
