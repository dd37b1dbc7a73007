import Foundation
import Glibc
import TestSupport
import Testing

/// `facecrop batch --worker`: one request per line, one response per line.
@Suite struct WorkerTests {
  private func serve(_ lines: [String], _ arguments: String..., in folder: TemporaryFolder) throws -> [[String: Any]] {
    let outcome = try Facecrop.run(
      ["batch", "--worker"] + arguments, stdin: Array((lines.joined(separator: "\n") + "\n").utf8),
      currentDirectory: folder.path)
    #expect(outcome.status == 0)
    #expect(outcome.stderr == "")
    var answers = try outcome.lines.map { try jsonObject($0) }
    let summary = try #require(answers.popLast()?["summary"] as? [String: Any])
    #expect(summary["requests"] as? Int == answers.count)
    for (name, status) in [("cropped", "cropped"), ("noFace", "no-face"), ("failed", "failed")] {
      #expect(summary[name] as? Int == answers.count { $0["status"] as? String == status })
    }
    #expect(summary["restarts"] as? Int == 0)
    return answers
  }

  /// Equal bytes are no loss, since a request can be repeated.
  @Test func aRequestCanKeepExistingFiles() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let request = #"{"id":1,"input":"a.jpg","output":"b.jpg","size":32,"clobber":false}"#
      #expect(try serve([request], in: folder)[0]["status"] as? String == "cropped")
      #expect(try serve([request], in: folder)[0]["status"] as? String == "cropped")
      try folder.write("mine", to: "b.jpg")
      let kept = try serve([request], in: folder)[0]
      #expect((kept["reason"] as? [String: Any])?["kind"] as? String == "exists")
      #expect(try folder.text("b.jpg") == "mine")
      let wrong = try serve([request.replacing("false", with: "7")], in: folder)[0]
      #expect((wrong["reason"] as? [String: Any])?["kind"] as? String == "request")
      #expect(
        try serve([request.replacing("false", with: "true")], in: folder)[0]["status"] as? String == "cropped")
    }
  }

  @Test func everyRequestHasOneAnswer() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      try folder.write(Samples.faceless(), to: "wall.jpg")
      try folder.write(JPEGRecipe.baseline444.encode(Samples.twoFaces()), to: "two.jpg")
      try folder.write("text", to: "text.jpg")
      try folder.write(PNGBuilder(try astronaut()).encoded(), to: "wall.png")
      try BatchSamples.write(Samples.portrait(), to: Array((folder / "").utf8) + [0xE9])
      let answers = try serve(
        [
          #"{"id":1,"input":"a.jpg","output":"1.png","preset":"avatar","size":[64,32],"quality":90}"#,
          #"{"id":"two","input":"two.jpg","output":"2.jpg","faces":"each","padding":0.25}"#,
          #"{"id":{"any":[1]},"input":"wall.jpg","output":"3.jpg","no-face":"skip"}"#,
          #"{"id":4,"input":"text.jpg","output":"4.jpg"}"#, #"{"id":5,"input":"none.jpg","output":"5.jpg"}"#,
          #"{"id":6,"input":"a.jpg","output":"6.jpg","colour":"red"}"#, #"{"id":7,"input":"a.jpg"}"#, "no JSON",
          #"{"id":9,"input":"a.jpg","output":"nowhere/9.jpg"}"#, "",
          #"{"id":11,"inputBase64":"6Q==","output":"11.webp","upscale":false,"faces":null}"#,
          #"{"id":12,"input":"a.jpg","output":"a.jpg"}"#,
          #"{"id":13,"input":"a.jpg","output":"13.jpg","shape":"circle"}"#,
          #"{"id":14,"input":"a.jpg","output":"14.jpg","lossless":true,"padding":0.3}"#,
          #"{"id":15,"input":"a.jpg","output":"15.png","lossless":true}"#,
          #"{"id":16,"input":"a.jpg","output":"16.jpg","lossless":true,"quality":50}"#,
          #"{"id":17,"input":"wall.png","output":"17.jpg","lossless":true}"#,
          #"{"id":18,"input":"a.jpg","output":"18.jpg","pad":"edge"}"#,
          // A zero in a name, and a byte 1, which is valid.
          #"{"id":19,"inputBase64":"YQBi","output":"19.jpg"}"#, #"{"id":20,"inputBase64":"YQFi","output":"20.jpg"}"#,
        ], in: folder)
      #expect(answers.count == 19)
      func answer(_ id: String) throws -> [String: Any] {
        try #require(answers.first { "\($0["id"] ?? "")".filter { !$0.isWhitespace } == id })
      }
      func reason(_ id: String) throws -> String {
        let answer = try answer(id)
        #expect(answer["status"] as? String == "failed")
        return (answer["reason"] as? [String: Any])?["kind"] as? String ?? ""
      }
      let first = try answer("1")
      #expect(first["status"] as? String == "cropped")
      #expect((first["outputs"] as? [[String: Any]])?.map { $0["file"] as? String } == ["1-64.png", "1-32.png"])
      #expect(
        keys(first) == [
          "id", "input", "status", "detector", "width", "height", "faces", "chosen", "origin", "regions", "crops",
          "outputs", "milliseconds", "peakMemory",
        ])
      let peak = try #require(first["peakMemory"] as? Int)
      #expect((8 << 20..<400 << 20).contains(peak))
      #expect(
        (try answer("two")["outputs"] as? [[String: Any]])?.map { $0["file"] as? String } == ["2-1.jpg", "2-2.jpg"])
      #expect(answers.contains { $0["status"] as? String == "no-face" && $0["outputs"] == nil })
      #expect(try reason("4") == "unsupported")
      #expect(try reason("5") == "unreadable")
      #expect(try reason("6") == "request")
      #expect(try reason("7") == "request")
      #expect(try reason("9") == "output")
      #expect(try reason("12") == "output")
      #expect(try reason("13") == "request")
      #expect(try answer("14")["status"] as? String == "cropped")
      let cut = try Facecrop.run(
        "crop", "a.jpg", "-o", "cut.jpg", "--lossless", "--padding", "0.3", currentDirectory: folder.path)
      #expect(cut.status == 0)
      #expect(try folder.bytes("14.jpg") == folder.bytes("cut.jpg"))
      #expect(try reason("15") == "request")
      #expect(try reason("16") == "request")
      #expect(try reason("17") == "unsupported")
      #expect(try reason("18") == "request")
      #expect(try reason("19") == "request" && reason("20") == "unreadable")
      let malformed = try #require(answers.first { $0["id"] is NSNull })
      #expect(malformed["line"] as? Int == 8)
      #expect(try answer("11")["inputBase64"] as? String == "6Q==")
      #expect(try folder.names().count { $0.contains("-") || $0.contains("11") } == 5)
      #expect(try folder.bytes("a.jpg") == Samples.portrait())
    }
  }

  /// Without an output it only detects faces, and writes nothing.
  /// Programs in other languages render faults in their own words.
  @Test func faultsAreData() throws {
    func words(_ fault: [String: Any]) -> [String] {
      (fault["remedy"] as? [[String: String]] ?? []).map { part in
        part["text"] ?? "\(part["option"] ?? "") = \(part["value"] ?? "")"
      }
    }
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let answers = try serve(
        [
          #"{"id":1,"input":"a.jpg","output":"b.jpg","max-pixels":1000}"#,
          #"{"id":2,"input":"a.jpg","output":"c.jpg","size":5000}"#,
        ], in: folder)
      let failed = try #require(answers.first { $0["id"] as? Int == 1 })
      let fault = try #require(failed["fault"] as? [String: Any])
      #expect(fault["kind"] as? String == "limit" && fault["field"] as? String == "pixels")
      #expect(fault["bound"] as? String == "1000" && Int(fault["value"] as? String ?? "") ?? 0 > 1000)
      #expect(words(fault) == ["raise it with ", "max-pixels = 1MP"])
      let problem = try #require(fault["problem"] as? String)
      let message = (failed["reason"] as? [String: Any])?["message"] as? String
      #expect(message == "\(problem) (raise it with --max-pixels 1MP)")
      let made = try #require(answers.first { $0["id"] as? Int == 2 })
      let warnings = try #require(made["warningFaults"] as? [[String: Any]])
      #expect(made["fault"] == nil && warnings.count == (made["warnings"] as? [String])?.count)
      let smaller = try #require(warnings.first { $0["kind"] as? String == "smaller" })
      #expect(words(smaller) == ["pass ", "upscale = true", " to enlarge"])
    }
  }

  @Test func withoutAnOutputItOnlyDetects() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      try folder.write(Samples.faceless(), to: "wall.jpg")
      try folder.write(JPEGRecipe.baseline444.encode(Samples.twoFaces()), to: "two.jpg")
      let before = try folder.names()
      let answers = try serve(
        [
          #"{"id":0,"input":"a.jpg","output":null,"preset":"avatar","size":[64,32]}"#,
          #"{"id":1,"input":"two.jpg","output":null,"faces":"each"}"#,
          #"{"id":2,"input":"wall.jpg","output":null,"no-face":"skip"}"#,
          #"{"id":3,"input":"none.jpg","output":null}"#,
          #"{"id":4,"input":"a.jpg","output":null,"outputBase64":"YQ=="}"#,
          #"{"id":5,"input":"a.jpg","output":"a.png","preset":"avatar"}"#,
        ], "--jobs", "1", in: folder)
      #expect(
        answers.map { $0["status"] as? String } == ["cropped", "cropped", "no-face", "failed", "failed", "cropped"])
      #expect(answers.dropLast().allSatisfy { $0["outputs"] == nil })
      #expect(answers.prefix(3).map { ($0["faces"] as? [Any])?.count } == [1, 2, 0])
      #expect(answers.prefix(3).map { ($0["crops"] as? [Any])?.count } == [1, 2, 0])
      #expect(try json(answers[0]["crops"]) == json(answers[5]["crops"]))
      #expect(try folder.names() == (before + ["a.png"]).sorted())
    }
  }

  private func json(_ value: Any?) throws -> Data {
    try JSONSerialization.data(withJSONObject: #require(value), options: .sortedKeys)
  }

  // MARK: Hostile requests

  /// Outputs never go to the process's own descriptors.
  @Test func outputsAreFiles() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      try Facecrop.prepare("mkfifo pipe.jpg; ln -s /dev/stdout link.jpg", in: folder)
      let names =
        ["/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/null", "pipe.jpg", "link.jpg"]
        + [0, 1, 2, 3, 10, 11].flatMap { ["/dev/fd/\($0)", "/proc/self/fd/\($0)"] }
      let requests = names.enumerated().flatMap { index, name in
        [
          #"{"id":"\#(index)","input":"a.jpg","output":"\#(name)","size":16}"#,
          #"{"id":"good \#(index)","input":"a.jpg","output":"out\#(index).jpg","size":16}"#,
        ]
      }
      let answers = try serve(requests, "--jobs", "1", in: folder)
      // Each appears once, in order, with nothing in between.
      #expect(answers.map { $0["id"] as? String } == names.indices.flatMap { ["\($0)", "good \($0)"] })
      for (index, answer) in answers.enumerated() {
        let isGood = index % 2 == 1
        #expect(answer["status"] as? String == (isGood ? "cropped" : "failed"), "\(names[index / 2])")
        if !isGood { #expect((answer["reason"] as? [String: Any])?["kind"] as? String == "output") }
      }
    }
  }

  /// Requests cannot read or write its standard input and output by their names.
  @Test func theProtocolHasNumbersOfItsOwn() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        """
        mkfifo requests answers
        "$FACECROP" batch --worker --jobs 1 < requests > answers & worker=$!
        exec 3> requests 4< answers
        echo '{"id":1,"input":"a.jpg","output":"1.jpg","size":16}' >&3; read -r answer <&4
        readlink /proc/$(pgrep -P $worker)/fd/0 /proc/$(pgrep -P $worker)/fd/1
        exec 3>&-; wait $worker; echo $?
        """, currentDirectory: folder.path, timeout: 60)
      #expect(outcome.lines == ["/dev/null", "/dev/null", "0"])
    }
  }

  /// The identifier is returned to the byte.
  @Test func identifiersComeBack() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let ids = [
        "9007199254740993", "-123456789012345678901234567890", "1.50", "1E3", "0.1000000000000000055511151231257827",
        #""\u0041\/é\"}""#, #"{ "b" : [1, 2.0, {"}": "]"}],"a":null }"#, "[]", "true", "null", #""""#,
        #""{\"id\":7}""#,
      ]
      let requests =
        ids.map { #"{"input":"none.jpg","id": \#($0) ,"output":"x.jpg","size":16}"# }
        + ids.map { #" {"\u0069d":\#($0)}"# } + [#"{"input":"{\"id\":1}","output":"x.jpg"}"#]
      let outcome = try Facecrop.run(
        ["batch", "--worker", "--jobs", "1"], stdin: Array((requests.joined(separator: "\n") + "\n").utf8),
        currentDirectory: folder.path)
      #expect(outcome.status == 0)
      let lines = outcome.lines.dropLast()
      #expect(lines.count == requests.count)
      for (line, id) in zip(lines, ids + ids + ["null"]) {
        #expect(line.contains(#""id":\#(id),"#), "\(line)")
        _ = try jsonObject(line)
      }
    }
  }

  /// Options of the command line that are not for requests are refused.
  @Test func onlyOptionsOfRequestsAreTaken() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let options = [
        ("generate-completion-script", "true"), ("generate-completion-script", "\"bash\""), ("help", "true"),
        ("version", "true"), ("experimental-dump-help", "true"), ("help-hidden", "\"\""), ("jobs", "1"), ("-", "true"),
        ("", "1"),
      ]
      let requests = options.map { #"{"id":1,"input":"a.jpg","output":"x.jpg","\#($0.0)":\#($0.1)}"# }
      for answer in try serve(requests, "--jobs", "1", in: folder) {
        let message = (answer["reason"] as? [String: Any])?["message"] as? String ?? ""
        #expect((answer["reason"] as? [String: Any])?["kind"] as? String == "request")
        #expect(!message.isEmpty)
        #expect(message.utf8.count < 400 && !message.contains("USAGE") && !message.contains("compdef"), "\(message)")
      }
      #expect(try folder.names() == ["a.jpg"])
    }
  }

  /// Text that nobody needs is skipped, and not kept in memory.
  @Test(.enabled(if: Facecrop.canMeasureMemory)) func longLinesCostNoMemory() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        """
        { echo '{"id":1,"input":"a.jpg","output":"1.jpg","size":16}'; head -c 300000000 /dev/zero | tr '\\0' x; echo
          echo '{"id":3,"input":"a.jpg","output":"3.jpg","size":16}'; printf '{"id":"'; head -c 1048576 /dev/zero | tr '\\0' y
        } | /usr/bin/time -f %M -o peak "$FACECROP" batch --worker --jobs 1; cat peak
        """, currentDirectory: folder.path)
      #expect(outcome.status == 0)
      try #require(outcome.lines.count == 6)
      let answers = try outcome.lines.prefix(4).map { try jsonObject($0) }
      #expect(Set(answers.compactMap { $0["id"] as? Int }) == [1, 3])
      let long = answers.filter { $0["id"] is NSNull }
      #expect(Set(long.map { $0["line"] as? Int }) == [2, 4])
      #expect(long.allSatisfy { ($0["reason"] as? [String: Any])?["kind"] as? String == "request" })
      // The larger of the worker and its process.
      #expect(Int(outcome.lines[5]) ?? .max < 250_000, "\(outcome.lines[5]) KiB")
    }
  }

  /// The command line gives defaults for requests.
  @Test func commandLineGivesDefaults() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let answers = try serve(
        [#"{"id":1,"input":"a.jpg","output":"1.jpg"}"#, #"{"id":2,"input":"a.jpg","output":"2.jpg","size":40}"#],
        "--jobs", "1", "--preset", "avatar", "--size", "80", in: folder)
      #expect(answers.map { $0["id"] as? Int } == [1, 2])
      let widths = try answers.map { answer in
        let outputs = try #require(answer["outputs"] as? [[String: Any]])
        return outputs.first?["width"] as? Int
      }
      #expect(widths == [80, 40])
      let one = try Facecrop.run(
        "avatar", "a.jpg", "-o", "one.jpg", "--size", "80", currentDirectory: folder.path)
      #expect(one.status == 0)
      let isSame = try folder.bytes("one.jpg") == folder.bytes("1.jpg")
      #expect(isSame)
    }
  }

  /// A response comes when its image is done, while the input stays open. A signal ends the wait.
  @Test func answersComeAtOnceAndSignalsEndTheWaiting() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        """
        mkfifo requests answers
        "$FACECROP" batch --worker < requests > answers & worker=$!
        exec 3> requests 4< answers
        echo '{"id":1,"input":"a.jpg","output":"1.jpg"}' >&3
        read -r answer <&4; case $answer in *'"id":1,'*) echo answered;; esac
        kill -TERM $worker; wait $worker; echo $?
        cat <&4 | grep -c '^{"summary":{"cropped":1,"failed":0,"noFace":0,"requests":1,'
        """, currentDirectory: folder.path, timeout: 60)
      #expect(outcome.lines == ["answered", "130", "1"])
    }
  }

  @Test func aReaderThatGoesAwayIsNoFailure() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        """
        for i in $(seq 200); do echo '{"id":'$i',"input":"a.jpg","output":"1.jpg","size":16}'; done \
        | { facecrop batch --worker; echo $? >&2; } | head -n 1 > /dev/null
        """, currentDirectory: folder.path)
      #expect(outcome.errorLines == ["0"])
    }
  }

  private static let hasParallel = FileManager.default.isExecutableFile(atPath: "/usr/bin/parallel")

  /// Each request of the guide's commands gets one response, from any worker.
  @Test(arguments: [
    (
      "parallel --pipe --round-robin -N1 -j2 --line-buffer \"$FACECROP\" batch --worker --jobs 1 < requests > answers",
      hasParallel
    ),
    ("cat requests | \"$FACECROP\" batch --worker > answers", true),
    // As programs read it: from a pipe.
    ("cat requests | timeout 20 \"$FACECROP\" batch --worker | cat > answers", true),
    (
      """
      find in -name '*.jpg' -print0 | xargs -0 -n 3 -P 2 sh -c '
        "$FACECROP" batch --base in -d out --jobs 1 --manifest "out/$$.ndjson" --progress none "$@"' sh
      cat out/*.ndjson > answers
      """, true
    ),
  ])
  func othersDriveIt(command: String, isPossible: Bool) throws {
    guard isPossible else { return }
    try TemporaryFolder.with { folder in
      let portrait = try folder.write(Samples.portrait(), to: "portrait.jpg")
      try Facecrop.prepare(
        """
        export FACECROP; mkdir in out
        for i in 1 2 3 4 5 6 7 8; do
          ln '\(portrait)' in/$i.jpg
          echo '{"id":'$i',"input":"in/'$i'.jpg","output":"out/'$i'.jpg","size":32}' >> requests
        done
        \(command)
        """, in: folder)
      let answers = try folder.text("answers").split(separator: "\n").map { try jsonObject(String($0)) }
        .filter { $0["summary"] == nil && $0["format"] == nil }
      #expect(answers.allSatisfy { $0["status"] as? String == "cropped" })
      #expect(answers.compactMap { $0["input"] as? String }.sorted() == (1...8).map { "in/\($0).jpg" })
      #expect((1...8).allSatisfy { folder.has("out/\($0).jpg") })
    }
  }
}
