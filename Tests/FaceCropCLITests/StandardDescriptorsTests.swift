import TestSupport
import Testing

/// A program may be started without standard input, output or error.
@Suite struct StandardDescriptorsTests {
  /// Files must not get these numbers, or the summary would end up in a manifest.
  @Test(arguments: ["2>&-", "<&- >&-", "<&- >&- 2>&-"])
  func closedDescriptorsStayEmpty(closed: String) throws {
    try TemporaryFolder.with { folder in
      for name in ["a.jpg", "b.jpg"] { try folder.write(Samples.portrait(), to: name) }
      try folder.write("text", to: "text.jpg")
      let outcome = try Facecrop.bash(
        """
        facecrop batch a.jpg b.jpg text.jpg -d out --size 32 --plan-out plans.ndjson --jobs 2 \(closed); echo $?
        facecrop crop a.jpg -o one.jpg --size 32 --plan-out plan.json \(closed); echo $?
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["1", "0"])
      #expect(try folder.manifest().lines.count == 3)
      #expect(try folder.manifest().count("cropped") == 2)
      #expect(try folder.text("plans.ndjson").split(separator: "\n").count == 3)
      #expect(try folder.bytes("one.jpg") == folder.bytes("out/a.jpg"))
      #expect(try folder.bytes("a.jpg") == Samples.portrait())
    }
  }

  /// The numbers are taken first, since the order of opened files could give them to any file.
  @Test func closedDescriptorsAreTaken() throws {
    try TemporaryFolder.with { folder in
      let outcome = try Facecrop.bash(
        """
        mkfifo requests
        "$FACECROP" batch --worker --jobs 1 < requests >&- 2>&- & worker=$!
        exec 3> requests
        sleep 0.5
        readlink /proc/$worker/fd/1 /proc/$worker/fd/2
        exec 3>&-; wait $worker
        """, currentDirectory: folder.path, timeout: 60)
      #expect(outcome.lines == ["/dev/null", "/dev/null"])
    }
  }

  /// No text, image or message is written into an input, however the shell opened it.
  @Test(arguments: [
    "avatar a.jpg -o - 1<>a.jpg", "crop a.jpg -o b.jpg --json 1<>a.jpg", "blur a.jpg -o b.jpg >>a.jpg",
    "detect a.jpg 1<>a.jpg", "info ./a.jpg 1<>a.jpg", "check a.jpg 1<>link.jpg", "check -r . 1<>a.jpg",
    "sheet a.jpg -o - 1<>a.jpg", "info - <a.jpg 1<>a.jpg", "avatar - -o - <a.jpg 1<>a.jpg",
    "batch . -r -d out --json 1<>a.jpg", "batch --from-list list.txt -d out --json 1<>a.jpg",
    "crop a.jpg -o b.jpg --no-such-option 2>>a.jpg", "info a.jpg missing.jpg 2>>a.jpg",
    "batch . -r -d out --progress json 2>>a.jpg", "crop b.jpg -o c.jpg --background-fill=a.jpg 2>>a.jpg",
    "crop a.jpg -o b.jpg 1<>a.jpg 2>>a.jpg", "batch --worker <request.ndjson 1<>a.jpg",
  ])
  func inputsAreNotOverwritten(command: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      try folder.write("a.jpg\n", to: "list.txt")
      try folder.write(#"{"input":"a.jpg","output":"b.jpg"}"# + "\n", to: "request.ndjson")
      let outcome = try Facecrop.bash(
        "ln -s a.jpg link.jpg; facecrop \(command)", currentDirectory: folder.path)
      #expect(try folder.bytes("a.jpg") == Samples.portrait())
      #expect(outcome.status == 1, "\(outcome.stderr)\(outcome.text)")
      let isSilent = command.contains("1<>a.jpg 2>>")
      #expect(isSilent || (outcome.stderr + outcome.text).contains("would overwrite it"), "\(outcome.stderr)")
    }
  }

  /// Reading an input, and a file that no command reads, are no danger.
  @Test(arguments: ["info a.jpg <a.jpg", "info a.jpg >text", "avatar a.jpg -o - >text", "info a.jpg 2<a.jpg"])
  func otherFilesAreWritten(command: String) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash("facecrop \(command)", currentDirectory: folder.path)
      #expect(outcome.status == 0, "\(outcome.stderr)")
    }
  }

  /// Writing to a closed descriptor is an error.
  @Test func writingToAClosedOutputIsAnError() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash("facecrop crop a.jpg -o - >&-", currentDirectory: folder.path)
      #expect(outcome.status == 1)
      try expectSentence(outcome, about: "standard output", saying: "write failed")
    }
  }

  /// Some libraries end the process if they get no descriptor.
  @Test(arguments: [4, 6, 9]) func fewDescriptorsAreAnError(count: Int) throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        "ulimit -n \(count); \"$FACECROP\" crop a.jpg -o one.jpg", currentDirectory: folder.path)
      #expect(outcome.status == 1)
      #expect(outcome.stderr.contains("ulimit -n"), "\(outcome.stderr)")
      #expect(try folder.names() == ["a.jpg"])
    }
  }

  /// Dispatch would try again without an end. The stacks of threads take address space.
  @Test func fewThreadsAreAnError() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        "ulimit -s 65536 -v 262144; timeout 60 \"$FACECROP\" crop a.jpg -o one.jpg", currentDirectory: folder.path)
      #expect(outcome.status == 1)
      #expect(outcome.stderr.contains("ulimit -u"), "\(outcome.stderr)")
      #expect(try folder.names() == ["a.jpg"])
    }
  }

  @Test(arguments: ["--help", "crop --help", "--version", "--generate-completion-script bash"])
  func helpThatCannotBeWrittenIsAnError(arguments: String) throws {
    let outcome = try Facecrop.bash("facecrop \(arguments) > /dev/full")
    #expect(outcome.status == 1)
    try expectSentence(outcome, about: "standard output", saying: "write failed")
    let read = try Facecrop.bash("facecrop \(arguments) | head -c 1 | wc -c; echo ${PIPESTATUS[0]}")
    #expect(read.lines == ["1", "0"] && read.stderr.isEmpty)
  }
}
