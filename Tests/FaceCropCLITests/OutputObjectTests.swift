import TestSupport
import Testing

/// The description of outputs for programs, and files with a maximum size.
@Suite struct OutputObjectTests {
  @Test(arguments: ["crop", "avatar"])
  func anObjectSaysWhatWasMade(command: String) throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run(command, input, "-o", folder / "out.jpg", "--size", "64,2000", "--json")
      #expect(outcome.status == 0 && outcome.lines.count == 1, "\(outcome.stderr)")
      let object = try jsonObject(try #require(outcome.lines.first))
      #expect(object["file"] as? String == input && object["status"] as? String == "cropped")
      #expect(object["width"] as? Int == 512 && (object["faces"] as? [Any])?.count == 1)
      let milliseconds = try #require(object["milliseconds"] as? [String: Double])
      #expect(milliseconds.keys.sorted() == ["detect", "encode", "look", "render", "write"])
      #expect((object["warnings"] as? [String])?.count == 1)
      let outputs = try #require(object["outputs"] as? [[String: Any]])
      #expect(outputs.map { $0["smaller"] as? Bool } == [nil, true])
      for output in outputs {
        let file = try #require(output["file"] as? String)
        let sum = try Facecrop.bash("sha256sum < '\(file)'; stat -c %s '\(file)'").lines
        #expect(sum[0].hasPrefix(try #require(output["sha256"] as? String)))
        #expect(sum[1] == "\(output["bytes"] ?? 0)")
      }
      let sides = ["width", "height"].map { outputs[0][$0] as? Int ?? 0 }
      #expect(sides.max() == 64)
    }
  }

  @Test func warningsHaveKinds() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run(
        "crop", input, "-o", folder / "out.jpg", "--size", "2000", "--progress", "json")
      let events = try outcome.errorLines.map { try jsonObject($0) }
      #expect(events.filter { $0["event"] as? String == "warning" }.map { $0["kind"] as? String } == ["smaller"])
      let written = try #require(events.first { $0["event"] as? String == "written" }?["output"] as? [String: Any])
      #expect((written["sha256"] as? String)?.count == 64)
    }
  }

  @Test func filesAreAsSmallAsIsAskedFor() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let png = folder / "in.png"
      #expect(try Facecrop.run("crop", input, "-o", png).status == 0)
      for name in ["out.jpg", "out.webp"] {
        let outcome = try Facecrop.run("avatar", input, "-o", folder / name, "--size", "256", "--max-bytes", "5K")
        #expect(outcome.status == 0, "\(outcome.stderr)")
        let bytes = try folder.bytes(name).count
        #expect(bytes <= 5_000 && bytes > 4_000)
      }
      let tooSmall = try Facecrop.run("avatar", input, "-o", folder / "a.jpg", "--max-bytes", "100")
      #expect(tooSmall.status == 1 && tooSmall.stderr.contains("allowed 100 "))
      // A PNG output has no quality to lower, but must still keep the limit.
      let batch = try Facecrop.bash(
        "\"$FACECROP\" batch '\(png)' -d out --max-bytes 5K; echo $?; ls out", currentDirectory: folder.path)
      #expect(batch.lines == ["1", "manifest.ndjson"] && batch.stderr.contains("allowed 5000 "))
    }
  }

  @Test func smallOutputsFail() throws {
    try TemporaryFolder.with { folder in
      let input = try folder.write(Samples.portrait(), to: "in.jpg")
      let outcome = try Facecrop.run("avatar", input, "-o", folder / "a.jpg", "--min-size", "1000", "--json")
      #expect(outcome.status == 1)
      let object = try jsonObject(try #require(outcome.lines.first))
      #expect(object["status"] as? String == "failed")
      #expect((object["reason"] as? [String: String])?["kind"] == "too-small")
      #expect(try folder.names() == ["in.jpg"])
    }
  }

  /// Each command's JSON tells whether the same image may succeed later: with more time, but not if it is none. `info`
  /// decodes nothing that takes time.
  @Test(arguments: ["crop", "avatar", "blur", "detect", "info", "check"])
  func errorsTellWhetherToRetry(command: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write("no image", to: "text.jpg")
      try folder.write(Samples.large.get(), to: "slow.jpg")
      let output = ["crop", "avatar", "blur"].contains(command) ? ["-o", "o.jpg", "--progress", "json"] : []
      func check(_ file: String, _ options: String..., isRetryable: Bool) throws {
        let run = try Facecrop.run([command, file, "--json"] + output + options, currentDirectory: folder.path)
        #expect(run.status == 1, "\(run.text) \(run.stderr)")
        let object = try jsonObject(try #require(run.lines.last))
        let error = object["error"] as? [String: Any] ?? object
        #expect(error["retryable"] as? Bool == isRetryable, "\(run.text)")
        guard let event = run.errorLines.last else { return }
        #expect(try jsonObject(event)["retryable"] as? Bool == isRetryable, "\(event)")
      }
      try check("text.jpg", isRetryable: false)
      if command != "info" { try check("slow.jpg", "--timeout", "0.001", isRetryable: true) }
    }
  }
}
