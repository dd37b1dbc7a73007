import Foundation
import TestSupport
import Testing

/// A request gets exactly one response, even if it kills its process.
@Suite struct WorkerFaultTests {
  /// Returns the responses by id, and the summary, of a worker whose processes run `poison.c`.
  private func serve(
    _ requests: [String], _ arguments: String, killing times: Int = 0
  ) throws -> (answers: [Int: [String: Any]], summary: [String: Any]) {
    try TemporaryFolder.with { folder in
      for name in ["a", "hang", "crash", "exit", "killed"] { try folder.write(Samples.portrait(), to: "\(name).jpg") }
      try folder.write("\(times)", to: "killed.jpg.times")
      try folder.write(requests.joined(separator: "\n"), to: "requests")
      let source = #filePath.replacing("FaceCropCLITests/Batch/WorkerFaultTests.swift", with: "Support/Poison/poison.c")
      let outcome = try Facecrop.bash(
        """
        clang -shared -fPIC -O1 -o poison.so '\(source)'
        LD_PRELOAD=$PWD/poison.so "$FACECROP" batch --worker \(arguments) < requests
        """, currentDirectory: folder.path)
      #expect(outcome.status == 0)
      #expect(outcome.stderr == "")
      var lines = try outcome.lines.map { try jsonObject($0) }
      let summary = try #require(lines.popLast()?["summary"] as? [String: Any])
      // Each id appears once.
      let answers = try Dictionary(lines.map { (try #require($0["id"] as? Int), $0) }) { first, _ in
        Issue.record("\(first) was answered twice")
        return first
      }
      #expect(answers.count == requests.count)
      #expect(try folder.names().allSatisfy { !$0.contains("tmp") && !$0.hasPrefix(".") })
      return (answers, summary)
    }
  }

  private func request(_ id: Int, _ input: String) -> String {
    #"{"id":\#(id),"input":"\#(input)","output":"\#(id).png","preset":"avatar","size":32}"#
  }

  private func reason(_ answer: [String: Any]?) -> String? { (answer?["reason"] as? [String: Any])?["kind"] as? String }

  @Test(arguments: [1, 2])
  func namesImagesThatCrashOrHang(jobs: Int) throws {
    let inputs = ["a", "crash", "a", "hang", "a", "exit", "a"]
    let (answers, summary) = try serve(
      inputs.enumerated().map { request($0.offset, "\($0.element).jpg") }, "--jobs \(jobs) --timeout 1")
    for (id, input) in inputs.enumerated() {
      let answer = answers[id]
      #expect(answer?["input"] as? String == "\(input).jpg")
      switch input {
      case "crash", "exit":
        #expect(reason(answer) == "crashed")
        #expect(answer?["retryable"] as? Bool == false)
      case "hang":
        #expect(reason(answer) == "limit")
        #expect(answer?["retryable"] as? Bool == true)
      default: #expect(answer?["status"] as? String == "cropped")
      }
    }
    #expect(summary["restarts"] as? Int == 5)
    #expect(summary["cropped"] as? Int == 4)
    #expect(summary["failed"] as? Int == 3)
  }

  /// After two kills from outside the third process responds; after more the image is at fault.
  @Test(arguments: [(2, "cropped"), (3, "failed")])
  func retriesAfterAKill(times: Int, status: String) throws {
    let (answers, summary) = try serve([request(1, "killed.jpg"), request(2, "a.jpg")], "--jobs 1", killing: times)
    #expect(answers[1]?["status"] as? String == status)
    #expect(answers[1]?["retryable"] as? Bool == (status == "failed" ? true : nil))
    #expect(answers[2]?["status"] as? String == "cropped")
    #expect(summary["restarts"] as? Int == times)
  }

  /// A request's own timeout applies.
  @Test func timeoutOfARequest() throws {
    let hanging = #"{"id":1,"input":"hang.jpg","output":"1.png","timeout":1}"#
    let (answers, _) = try serve([hanging, request(2, "a.jpg")], "--jobs 1 --timeout 3600")
    #expect(reason(answers[1]) == "limit")
    #expect(answers[2]?["status"] as? String == "cropped")
  }

  /// Images that hold memory and end their processes free it.
  @Test func memoryOfACrashIsFreeAgain() throws {
    let inputs = Array(repeating: ["crash.jpg", "a.jpg"], count: 6).flatMap { $0 }
    let (answers, _) = try serve(
      inputs.enumerated().map { request($0.offset, $0.element) }, "--jobs 2 --memory 150MiB")
    #expect(answers.values.count { $0["status"] as? String == "cropped" } == 6)
    #expect(answers.values.count { reason($0) == "crashed" } == 6)
  }

  /// A killed worker's processes end soon.
  @Test func processesEndWithTheWorker() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        """
        mkfifo requests answers
        "$FACECROP" batch --worker --jobs 2 < requests > answers & worker=$!
        exec 3> requests 4< answers
        for i in 1 2; do echo '{"id":'$i',"input":"a.jpg","output":"'$i'.jpg"}' >&3; done
        read -r answer <&4; read -r answer <&4
        processes=$(pgrep -P $worker); echo $processes | wc -w
        kill -KILL $worker; wait $worker 2> /dev/null
        for i in $(seq 200); do
          kill -0 $processes 2> /dev/null || { echo gone; break; }
          sleep 0.05
        done
        """, currentDirectory: folder.path, timeout: 60)
      #expect(outcome.lines == ["2", "gone"])
    }
  }

  /// The same request to several workers at once gives the same bytes, and no other files.
  @Test func speculationLeavesTheSameBytes() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        """
        for i in $(seq 10); do echo '{"id":'$i',"input":"a.jpg","output":"out/'$i'.webp","size":[48,16]}'; done > requests
        mkdir out
        for run in 1 2 3; do "$FACECROP" batch --worker --jobs 2 < requests > answers.$run & done
        wait
        cat answers.? | grep -o '"sha256":"[0-9a-f]*"' | sort | uniq -c | awk '{print $1}'
        sha256sum out/* | cut -c-64 | sort -u | wc -l
        ls out | wc -l
        """, currentDirectory: folder.path)
      #expect(outcome.lines == ["30", "30", "2", "20"])
    }
  }

  /// Without its detector, a worker must not take all images and fail each.
  @Test func withoutModelsTheWorkerEnds() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.portrait(), to: "a.jpg")
      let outcome = try Facecrop.bash(
        """
        cp '\(Facecrop.path)' .
        for i in $(seq 50); do echo '{"id":'$i',"input":"a.jpg","output":"1.jpg","detector":"haar"}'; done > requests
        ./facecrop batch --worker --jobs 2 < requests
        """, currentDirectory: folder.path)
      #expect(outcome.status == 1)
      #expect(outcome.stderr.contains("haarcascade_"))
      #expect(outcome.errorLines.count == 1)
      let answers = outcome.lines.dropLast()
      #expect((1...4).contains(answers.count) && answers.allSatisfy { $0.contains(#""kind":"model""#) })
      #expect(outcome.lines.last?.hasPrefix(#"{"summary":"#) == true)
    }
  }

  @Test func deepNestingIsARequestThatCannotBeRead() throws {
    try TemporaryFolder.with { folder in
      let outcome = try Facecrop.run(
        ["batch", "--worker"],
        stdin: Array((String(repeating: #"{"id":["#, count: 50_000) + "\n").utf8), currentDirectory: folder.path)
      #expect(outcome.status == 0)
      #expect(outcome.lines.count == 2)
      #expect(outcome.lines.first?.contains(#""kind":"request""#) == true)
    }
  }

  /// An unknown key is named before options that do not fit each other. Without an output, no message is about one.
  @Test func messagesFitTheRequest() throws {
    try TemporaryFolder.with { folder in
      try folder.write(Samples.faceless(), to: "wall.jpg")
      let outcome = try Facecrop.run(
        ["batch", "--worker", "--jobs", "1"],
        stdin: Array(
          """
          {"id":1,"input":"wall.jpg","output":"o.jpg","sise":3,"width":30,"height":30,"aspect":"1:2"}
          {"id":2,"input":"wall.jpg","output":null,"no-face":"skip"}
          {"id":3,"input":"wall.jpg","output":"o.jpg","no-face":"skip"}

          """.utf8), currentDirectory: folder.path)
      var messages: [Int: String] = [:]
      for line in outcome.lines {
        let answer = try jsonObject(line)
        guard let id = answer["id"] as? Int else { continue }
        messages[id] = (answer["reason"] as? [String: Any])?["message"] as? String
      }
      #expect(messages[1]?.contains("Unknown option '--sise' (did you mean '--size'?)") == true, "\(messages)")
      #expect(
        messages[2] == "no face was found" && messages[3] == "no face was found; nothing was written", "\(messages)")
    }
  }
}
