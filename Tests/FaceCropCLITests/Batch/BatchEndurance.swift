import Foundation
import Glibc
import TestSupport
import Testing

/// Long runs over many images with every kind of name, one in twenty damaged: killed, interrupted, out of disk.
///
/// FACECROP_BATCH_PICTURES and FACECROP_BATCH_KILLS set the numbers; `make test-batch` uses 2,000 and 20.
@Suite(.serialized) struct BatchEndurance {
  private static func number(_ name: String, _ standard: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard
  }
  private static let pictures = number("FACECROP_BATCH_PICTURES", 80)
  private static let kills = number("FACECROP_BATCH_KILLS", 4)
  private static let wanted = ["--preset", "avatar", "--size", "96,48"]

  private func begin(_ folder: TemporaryFolder, _ output: String, _ more: String...) throws -> Facecrop.Running {
    try Facecrop.Running(["batch", "-r", "in", "-d", output] + Self.wanted + more, currentDirectory: folder.path)
  }

  private func lines(_ folder: TemporaryFolder, _ manifest: String) -> Int {
    (try? folder.bytes(manifest).count { $0 == UInt8(ascii: "\n") }) ?? 0
  }

  /// The outputs do not depend on the number of jobs and kills.
  @Test func killedRunsEndAsUndisturbedOnes() throws {
    try TemporaryFolder.with { folder in
      let samples = try BatchSamples(Self.pictures, in: folder / "in")
      let timeout = 60 + Double(Self.pictures)
      let clock = ContinuousClock()
      let began = clock.now
      #expect(try begin(folder, "calm").wait(timeout: timeout).status == 1)
      let duration = clock.now - began
      let calm = try folder.manifest("calm/manifest.ndjson")
      #expect(calm.lines.count == samples.names.count && calm.entries.count == samples.names.count)
      #expect(
        Set(calm.entries.values.compactMap { $0["status"] as? String }).isSubset(of: ["cropped", "no-face", "failed"]))
      // The damaged ones, and one in ten whose name is too long for its sizes.
      let long = samples.names.count { $0.split(separator: UInt8(ascii: "/")).last!.count == 255 }
      let damaged = samples.names.count / 20
      #expect(calm.count("failed") == long + damaged)

      #expect(try begin(folder, "single", "--jobs", "1").wait(timeout: 2 * timeout).status == 1)
      let expected = try folder.checksums("calm")
      #expect(expected.count > samples.names.count)
      #expect(try folder.checksums("single") == expected)

      for _ in 0..<Self.kills {
        let running = try begin(folder, "killed")
        Thread.sleep(forTimeInterval: duration / .seconds(1) * Double.random(in: 0...1.6) / Double(Self.kills))
        running.send(SIGKILL)
        _ = try running.wait()
      }
      #expect(try begin(folder, "killed").wait(timeout: timeout).status == 1)
      #expect(try folder.checksums("killed") == expected)
      let killed = try folder.manifest("killed/manifest.ndjson")
      #expect(try killed.reproducible() == calm.reproducible())
      #expect(try folder.manifest("single/manifest.ndjson").reproducible() == calm.reproducible())
      // Only work that a kill can lose was repeated.
      #expect(killed.lines.count <= samples.names.count + Self.kills * 8)
    }
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func interruptedRunsFinishWhatTheyBegan(signal: Int32) throws {
    try TemporaryFolder.with { folder in
      _ = try BatchSamples(40, in: folder / "in")
      let running = try begin(folder, "out", "--progress", "json")
      while running.isRunning, lines(folder, "out/manifest.ndjson") < 4 { Thread.sleep(forTimeInterval: 0.002) }
      running.send(signal)
      let outcome = try running.wait()
      #expect(outcome.status == 130)
      let manifest = try folder.manifest()
      #expect(manifest.lines.count >= 4 && manifest.lines.count < 40)
      let outputs = manifest.lines.flatMap { ($0["outputs"] as? [[String: Any]] ?? []) }
      #expect(try folder.checksums("out").count == outputs.count)
      let last = try jsonObject(#require(outcome.errorLines.last))
      #expect(last["event"] as? String == "summary" && last["completed"] as? Int == manifest.lines.count)
      // The next run resumes there.
      #expect(try begin(folder, "out").wait().status == 1)
      #expect(try folder.manifest().lines.count == 40)
    }
  }

  @Test func secondSignalStopsAtOnce() throws {
    try TemporaryFolder.with { folder in
      _ = try BatchSamples(40, in: folder / "in")
      let running = try begin(folder, "out", "--jobs", "40")
      while running.isRunning, !folder.has("out/manifest.ndjson") { Thread.sleep(forTimeInterval: 0.002) }
      for _ in 0..<2 {
        running.send(SIGINT)
        Thread.sleep(forTimeInterval: 0.02)
      }
      #expect(try running.wait().status == 130)
      #expect(try begin(folder, "out").wait().status == 1)
      #expect(try folder.manifest().entries.count == 40)
    }
  }

  private static let canMount =
    (try? Facecrop.bash("unshare -m mount -t tmpfs -o size=16k none /mnt").status) == 0

  /// A full disk ends the run with a message, and the next run resumes once there is room.
  @Test(.enabled(if: canMount))
  func fullDiskEndsTheRun() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare(
        "mkdir in out; for i in $(seq 10 39); do cp '\(fixturePath("astronaut.jpg"))' in/$i.jpg; done", in: folder)
      let run = "\"$FACECROP\" batch -r in -d out --manifest m.ndjson --padding 1 --quality 95 --jobs 1"
      let outcome = try Facecrop.bash(
        """
        export FACECROP
        unshare -m bash -c '
          mount -t tmpfs -o size=400k none out
          \(run); echo $?; wc -l < m.ndjson; ls -A out | grep -c tmp
          mount -o remount,size=20m out
          \(run); echo $?; ls out | wc -l
          \(run); echo $?'
        """, currentDirectory: folder.path)
      #expect(outcome.status == 0)
      let lines = outcome.lines
      #expect(lines.count == 6)
      #expect(lines.first == "1" && lines.dropFirst(2) == ["0", "0", "30", "0"])
      #expect(outcome.stderr.contains("5 images in a row"))
      let manifest = try folder.manifest("m.ndjson")
      let failed = manifest.lines.filter { $0["status"] as? String == "failed" }
      #expect(failed.count == 5)
      #expect(
        failed.allSatisfy {
          (($0["reason"] as? [String: Any])?["message"] as? String)?.contains("No space left") == true
        })
      #expect(manifest.count("cropped") == 30)
    }
  }

  /// If the manifest itself has no room, no image counts as done that it could not record.
  @Test(.enabled(if: canMount))
  func fullDiskOfTheManifest() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare(
        "mkdir in small; for i in $(seq 10 39); do cp '\(fixturePath("astronaut.jpg"))' in/$i.jpg; done", in: folder)
      let run = "\"$FACECROP\" batch -r in -d out --manifest small/m.ndjson --size 32"
      let outcome = try Facecrop.bash(
        """
        export FACECROP
        unshare -m bash -c '
          mount -t tmpfs -o size=8k none small
          \(run); echo $?; tail -c 1 small/m.ndjson | od -An -c
          mount -o remount,size=1m small
          \(run); echo $?; cp small/m.ndjson .'
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["1", "  \\n", "0"])
      #expect(outcome.stderr.contains("facecrop: small/m.ndjson: write failed: No space left on device"))
      #expect(try folder.manifest("m.ndjson").count("cropped") == 30)
    }
  }

  @Test(.enabled(if: canMount))
  func readOnlyFolderIsKnownAtOnce() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        "mkdir out; export FACECROP; unshare -m bash -c 'mount -t tmpfs -o ro none out && \"$FACECROP\" batch a.jpg -d out'",
        currentDirectory: folder.path)
      #expect(outcome.status == 1)
      #expect(outcome.errorLines.count == 1)
      #expect(outcome.stderr.contains("facecrop: out/manifest.ndjson: write failed: Read-only file system"))
    }
  }

  /// A read-only folder fails only its own images. Rejected inputs on another file system are copied.
  @Test(.enabled(if: canMount))
  func readOnlyFolderBelow() throws {
    try TemporaryFolder.with { folder in
      try Facecrop.prepare("mkdir -p in/sub out/sub none", in: folder)
      try folder.write(Samples.portrait(), to: "in/a.jpg")
      try folder.write(Samples.portrait(), to: "in/sub/b.jpg")
      try folder.write("text", to: "in/text.jpg")
      let outcome = try Facecrop.bash(
        """
        export FACECROP
        unshare -m bash -c '
          mount -t tmpfs -o ro none out/sub && mount -t tmpfs none none
          "$FACECROP" batch -r in -d out --reject-dir none; echo $?
          stat -c "%h %n" none/text.jpg none/sub/b.jpg; cmp none/text.jpg in/text.jpg'
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["1", "1 none/text.jpg", "1 none/sub/b.jpg"])
      let manifest = try folder.manifest()
      #expect(manifest.status("in/a.jpg") == "cropped")
      #expect(manifest.reason("in/sub/b.jpg").kind == "output")
      #expect(manifest.reason("in/sub/b.jpg").message.contains("Read-only file system"))
    }
  }

  /// An input may vanish or be truncated between listing and reading.
  @Test func inputsThatChangeMeanwhile() throws {
    try TemporaryFolder.with { folder in
      _ = try BatchSamples(40, in: folder / "in")
      let running = try begin(folder, "out", "--jobs", "1")
      while running.isRunning, lines(folder, "out/manifest.ndjson") < 2 { Thread.sleep(forTimeInterval: 0.002) }
      try Facecrop.prepare(
        "find in -name 'p3?.*' -delete; find in -name 'p2?.*' -exec truncate -s 100 {} +", in: folder)
      #expect(try running.wait().status == 1)
      let manifest = try folder.manifest()
      #expect(manifest.entries.count == 40)
      #expect(manifest.entries.values.contains { ($0["reason"] as? [String: Any])?["kind"] as? String == "unreadable" })
    }
  }
}
