import Foundation
import Glibc
import TestSupport
import Testing

/// Outputs are written atomically, and never overwrite the input.
@Suite struct OutputSafetyTests {
  // MARK: The input

  @Test(arguments: ["in.jpg", "./in.jpg", "../same/in.jpg", "link.jpg", "hard.jpg", "folder-link/in.jpg"])
  func inputIsNoOutput(output: String) throws {
    try TemporaryFolder.with { folder in
      let script = "mkdir same; cd same; cp '\(fixturePath("astronaut.jpg"))' in.jpg; ln -s in.jpg link.jpg; "
      let prepared = try Facecrop.prepare(script + "ln in.jpg hard.jpg; ln -s . folder-link; ls -A", in: folder)
      let outcome = try Facecrop.run("crop", "in.jpg", "-o", output, currentDirectory: folder / "same")
      #expect(outcome.status == 1)
      try expectSentence(outcome, about: output, saying: "overwrite the input")
      let plan = try Facecrop.run(
        "crop", "in.jpg", "-o", "out.jpg", "--plan-out", output, currentDirectory: folder / "same")
      #expect(plan.status == 1)
      try expectSentence(plan, about: output, saying: "overwrite the input")
      #expect(try folder.bytes("same/in.jpg") == Samples.portrait())
      #expect(try Facecrop.bash("ls -A", currentDirectory: folder / "same").text == prepared.text)
    }
  }

  /// The input is a link to the output's name: links of inputs are followed too.
  @Test func linkToTheInputsNameIsNoInputForIt() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      try Facecrop.prepare("ln -s in.jpg link.jpg", in: folder)
      let outcome = try Facecrop.run("crop", "link.jpg", "-o", "in.jpg", currentDirectory: folder.path)
      #expect(outcome.status == 1)
      #expect(try folder.bytes("in.jpg") == Samples.portrait())
    }
  }

  /// One of several numbered outputs has the input's name.
  @Test func numberedOutputIsNoInput() throws {
    try TemporaryFolder.with { folder in
      let jpeg = try JPEGRecipe.baseline444.encode(Samples.twoFaces())
      for name in ["in-1.jpg", "in-2.jpg"] {
        try folder.write(jpeg, to: name)
        let outcome = try Facecrop.run(
          "crop", name, "-o", "in.jpg", "--faces", "each", currentDirectory: folder.path)
        #expect(outcome.status == 1)
        #expect(outcome.stderr.contains("overwrite the input"))
        #expect(try folder.bytes(name) == jpeg)
        try FileManager.default.removeItem(atPath: folder / name)
      }
    }
  }

  // MARK: Outputs that cannot be written

  @Test func outputIsAFolder() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run("crop", input, "-o", folder.path)
      #expect(outcome.status == 1)
      try expectSentence(outcome, about: folder.path, saying: "folder")
    }
  }

  /// The message is about the output although the input is worse, since outputs are checked first.
  @Test(arguments: ["/proc/x.jpg", "/nonexistent-folder/x.jpg", "/dev/null/x.jpg"])
  func unwritableFolderIsKnownFirst(output: String) throws {
    try TemporaryFolder.with { folder in
      for input in [try folder.write("no picture", to: "in.jpg"), folder / "none.jpg"] {
        for arguments in [["-o", output], ["-o", folder / "out.jpg", "--plan-out", output]] {
          let outcome = try Facecrop.run(["crop", input] + arguments)
          #expect(outcome.status == 1)
          try expectSentence(
            outcome, about: output, saying: output.hasPrefix("/nonexistent") ? "does not exist" : "write failed")
        }
      }
      #expect(try folder.names() == ["in.jpg"])
    }
  }

  /// Root may ignore permissions, but not a read-only file system.
  private static let canMount =
    (try? Facecrop.bash("unshare -m mount -t tmpfs -o size=16k none /mnt").status) == 0

  @Test(.enabled(if: canMount))
  func readOnlyFileSystem() throws {
    try TemporaryFolder.with { folder in
      try folder.write("no picture", to: "in.jpg")
      let outcome = try Facecrop.bash(
        "mkdir mount; export FACECROP; unshare -m bash -c 'mount -t tmpfs -o ro none mount && \"$FACECROP\" crop in.jpg -o mount/x.jpg'",
        currentDirectory: folder.path)
      #expect(outcome.status == 1)
      try expectSentence(outcome, about: "mount/x.jpg", saying: "Read-only file system")
    }
  }

  // MARK: A full disk

  @Test(.enabled(if: canMount))
  func fullFileSystem() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      // The existing file must survive.
      let outcome = try Facecrop.bash(
        """
        mkdir mount; export FACECROP
        unshare -m bash -c '
          mount -t tmpfs -o size=64k none mount && echo old > mount/x.jpg
          "$FACECROP" crop in.jpg -o mount/x.jpg --padding 9 --quality 100; echo $?
          "$FACECROP" crop in.jpg -o mount/y.jpg --padding 9 --quality 100; echo $?
          ls -A mount; cat mount/x.jpg'
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["1", "1", "x.jpg", "old"])
      #expect(outcome.errorLines.count == 2)
      for line in outcome.errorLines { #expect(line.contains(": No space left on device (")) }
    }
  }

  @Test func fullDevice() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run("crop", input, "-o", "/dev/full")
      #expect(outcome.status == 1)
      try expectSentence(outcome, about: "/dev/full", saying: "No space left on device")
      let stream = try Facecrop.bash("facecrop crop '\(input)' -o - > /dev/full")
      #expect(stream.status == 1)
      try expectSentence(stream, about: "standard output", saying: "No space left on device")
    }
  }

  /// A limit on file sizes ends a write with a signal unless the program blocks it. Data about coverage would exceed
  /// it, too.
  @Test func fileSizeLimit() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.bash(
        "ulimit -f 1; LLVM_PROFILE_FILE=/dev/null facecrop crop in.jpg -o out.jpg --padding 9 --quality 100",
        currentDirectory: folder.path)
      #expect(outcome.status == 1)
      try expectSentence(outcome, about: "out.jpg", saying: "write failed")
      #expect(try folder.names() == ["in.jpg"])
    }
  }

  // MARK: Existing files

  @Test func existingOutputIsReplacedWholeAndKeepsItsMode() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      // Longer than its replacement, so that a rest would show.
      let old = [UInt8](repeating: 7, count: 1_000_000)
      try folder.write(old, to: "out.jpg")
      try Facecrop.prepare("chmod 604 out.jpg; ln out.jpg twin.jpg", in: folder)
      #expect(try Facecrop.run("crop", input, "-o", folder / "out.jpg").status == 0)
      #expect(try Facecrop.run("crop", input, "-o", folder / "fresh.jpg").status == 0)
      #expect(try folder.bytes("out.jpg") == folder.bytes("fresh.jpg"))
      #expect(try folder.mode("out.jpg") == 0o604)
      // A hard link to the old file keeps it.
      #expect(try folder.bytes("twin.jpg") == old)
      #expect(try folder.names() == ["fresh.jpg", "in.jpg", "out.jpg", "twin.jpg"])
    }
  }

  @Test(arguments: [("022", 0o644), ("027", 0o640), ("077", 0o600), ("000", 0o666)])
  func maskIsRespected(mask: String, mode: Int) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.bash(
        "umask \(mask); facecrop crop in.jpg -o out.jpg --plan-out plan.json", currentDirectory: folder.path)
      #expect(outcome.status == 0)
      #expect(try folder.mode("out.jpg") == mode)
      #expect(try folder.mode("plan.json") == mode)
    }
  }

  @Test func failedRunLeavesNothing() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Array(Samples.portrait().prefix(40_000)), to: "in.jpg")
      try folder.write("old", to: "old.jpg")
      for output in ["out.jpg", "old.jpg"] {
        let outcome = try Facecrop.run("crop", input, "-o", folder / output, "--plan-out", folder / "plan.json")
        #expect(outcome.status == 1)
      }
      #expect(try folder.names() == ["in.jpg", "old.jpg"])
      #expect(try folder.text("old.jpg") == "old")
    }
  }

  // MARK: Devices and pipes

  @Test func deviceIsWrittenTo() throws {
    let outcome = try Facecrop.run("crop", "-", "-o", "/dev/null", stdin: try Samples.portrait())
    #expect(outcome.status == 0 && outcome.stderr == "")
    #expect((try Facecrop.bash("test -c /dev/null")).status == 0)
  }

  @Test func pipeIsWrittenTo() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.bash(
        "mkfifo pipe; cat pipe > got.jpg & facecrop crop in.jpg -o pipe && wait && facecrop crop in.jpg -o file.jpg",
        currentDirectory: folder.path)
      #expect(outcome.status == 0)
      #expect(try folder.bytes("got.jpg") == folder.bytes("file.jpg"))
      #expect(try folder.names() == ["file.jpg", "got.jpg", "in.jpg", "pipe"])
    }
  }

  /// /dev/stdout links to standard output, which must not be replaced if it is a file. The test uses its own folder of
  /// devices, since the machine's would be lost.
  @Test(.enabled(if: canMount))
  func linkToStandardOutputIsNotReplaced() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.bash(
        """
        export FACECROP
        unshare -m bash -c '
          mount -t tmpfs none /dev && ln -s /proc/self/fd/1 /dev/stdout && ln -s /proc/self/fd /dev/fd
          "$FACECROP" crop in.jpg -o /dev/stdout > out.jpg; test -h /dev/stdout && echo still a link
          "$FACECROP" crop in.jpg -o /dev/fd/1 > fd.jpg; ls -A /dev'
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["still a link", "fd", "stdout"])
      #expect(try Facecrop.run("crop", folder / "in.jpg", "-o", folder / "file.jpg").status == 0)
      #expect(try folder.bytes("out.jpg") == folder.bytes("file.jpg"))
      #expect(try folder.bytes("fd.jpg") == folder.bytes("file.jpg"))
    }
  }

  // MARK: Interrupted runs

  @Test(arguments: [false, true])
  func killedAtAnyMoment(replacesOld: Bool) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(try Samples.large.get(), to: "in.jpg")
      let output = folder / "out.jpg"
      let arguments = ["crop", input, "-o", output, "--padding", "0.5", "--quality", "95"]
      let clock = ContinuousClock()
      var complete: [UInt8] = []
      // A separate run measures the duration and gives the expected result.
      let duration = try clock.measure {
        #expect(try Facecrop.run(arguments).status == 0)
        complete = try folder.bytes("out.jpg")
      }
      let old = Array("old".utf8)
      for attempt in 0..<15 {
        if replacesOld {
          try folder.write(old, to: "out.jpg")
        } else {
          try? FileManager.default.removeItem(atPath: output)
        }
        let running = try Facecrop.Running(arguments)
        // The second half of the attempts end near the end, where the file gets its name.
        let moment = attempt < 8 ? Double.random(in: 0...1) : Double.random(in: 0.8...1.05)
        Thread.sleep(forTimeInterval: moment * (duration / .seconds(1)))
        running.send(SIGKILL)
        let status = try running.wait().status
        #expect(status == -SIGKILL || status == 0)

        let names = try folder.names().filter { !($0.hasPrefix(".facecrop-") && $0.hasSuffix(".tmp")) }
        #expect(Set(names).isSubset(of: ["in.jpg", "out.jpg"]))
        if folder.has("out.jpg") {
          let bytes = try folder.bytes("out.jpg")
          #expect(bytes == complete || (replacesOld && bytes == old), "neither the old file nor a whole new one")
        } else {
          #expect(!replacesOld && status != 0, "the old file is gone")
        }
      }
      #expect(try folder.bytes("in.jpg") == Samples.large.get())
    }
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func interruptedRunLeavesNothing(signal: Int32) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(try Samples.large.get(), to: "in.jpg")
      // On a busy machine it may finish before the signal; then it is tried again.
      for _ in 0..<20 {
        let running = try Facecrop.Running(
          ["crop", input, "-o", folder / "out.jpg", "--plan-out", folder / "plan.json", "--progress", "json"])
        // As soon as decoding begins.
        while running.isRunning, try running.stderr().isEmpty { Thread.sleep(forTimeInterval: 0.001) }
        running.send(signal)
        let outcome = try running.wait()
        if outcome.status == 0 {
          try Facecrop.prepare("rm out.jpg plan.json", in: folder)
          continue
        }
        #expect(outcome.status == 130)
        #expect(outcome.stdout == [])
        #expect(outcome.errorLines.last?.contains("interrupted; nothing was written") == true)
        #expect(try folder.names() == ["in.jpg"])
        return
      }
      Issue.record("it was never interrupted")
    }
  }

  /// Another program truncates the mapped input: a message, no crash.
  @Test func inputCutShortWhileItIsRead() throws {
    try TemporaryFolder.with { folder in
      // On a busy machine it may be read to its end before; then it is tried again.
      for _ in 0..<20 {
        let input = try folder.write(try Samples.large.get(), to: "in.jpg")
        let running = try Facecrop.Running(["crop", input, "-o", folder / "out.jpg", "--progress", "json"])
        while running.isRunning, try running.stderr().isEmpty { Thread.sleep(forTimeInterval: 0.0005) }
        #expect(unsafe truncate(input, 1_000) == 0)
        let outcome = try running.wait()
        guard outcome.status != 0 else {
          try FileManager.default.removeItem(atPath: folder / "out.jpg")
          continue
        }
        #expect(outcome.status == 1)
        let message = outcome.errorLines.last ?? ""
        #expect(message.contains("in.jpg") && message.contains("another program truncated it during reading"))
        #expect(try folder.names() == ["in.jpg"])
        return
      }
      Issue.record("it was never read too late")
    }
  }

  /// One Ctrl-C ends a command that waits for standard input.
  @Test func interruptedWhileItWaitsForItsInput() throws {
    try TemporaryFolder.with { folder in
      let outcome = try Facecrop.bash(
        """
        mkfifo pipe; exec 3<>pipe
        "$FACECROP" crop - -o out.jpg < pipe 3<&- & run=$!
        # Until it catches SIGTERM, a bit of this number.
        until grep -q 'SigCgt:.*[4-7c-f]...$' /proc/$run/status; do sleep 0.01; done
        sleep 0.2; kill -TERM $run; wait $run; echo $?; ls -A
        """, currentDirectory: folder.path, timeout: 20)
      #expect(outcome.lines == ["130", "pipe"])
    }
  }

  @Test func interruptedDetectEndsWithoutTheRest() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(try Samples.large.get(), to: "in.jpg")
      // Its own lines are only visible after it ends, so it is stopped once its first line is in a pipe.
      let outcome = try Facecrop.bash(
        """
        mkfifo pipe
        "$FACECROP" detect \(String(repeating: "'\(input)' ", count: 40)) > pipe & detect=$!
        exec 3< pipe; read -r line <&3; kill -INT $detect; rest=$(cat <&3 | wc -l); wait $detect
        echo $? $((rest < 35))
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["130 1"])
      #expect(outcome.stderr == "")
    }
  }
}
