import FoundationEssentials

/// A worker's standard output: answers one by one, and a summary.
actor WorkerAnswers {
  private var counts: [Outcome.Status: Int] = [:]
  /// The processes that crashed or were killed, and were replaced.
  private var restarts = 0
  private let started = ContinuousClock.now
  /// The callback for the end of answers, called once.
  private let end: @Sendable () -> Void
  private var isClosed = false
  /// The reason; nil if the reader closed the pipe.
  private(set) var fault: FileError?

  init(end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  func write(_ answer: WorkerAnswer) {
    write(Array(answer.line.utf8), answer.status)
  }

  /// Writes an answer as JSON from an image process.
  func write(_ object: [UInt8]) {
    struct Answer: Decodable {
      var status: Outcome.Status
      var reason: Fault?
    }
    let answer = try? JSONDecoder().decode(Answer.self, from: Data(object))
    write(object + [UInt8(ascii: "\n")], answer?.status ?? .failed)
    // Without its detector the machine would fail every request, faster than other machines answer.
    if let reason = answer?.reason, reason.kind == "model" {
      fail(FileError("worker", "no image can be cropped: \(reason.message)"))
    }
  }

  func countRestart() { restarts += 1 }

  func fail(_ error: FileError) {
    if fault == nil { fault = error }
    end()
  }

  /// Prints the last line: `{"summary":{…}}`.
  func summarize() {
    let summary: JSONObject = [
      "requests": counts.values.reduce(0, +), "cropped": counts[.cropped, default: 0],
      "noFace": counts[.noFace, default: 0], "failed": counts[.failed, default: 0] + counts[.skipped, default: 0],
      "restarts": restarts, "seconds": ((ContinuousClock.now - started) / .seconds(1) * 1000).rounded() / 1000,
    ]
    write(line: Array(JSONLines.safeLine(["summary": summary]).utf8))
  }

  private func write(_ line: [UInt8], _ status: Outcome.Status) {
    counts[status, default: 0] += 1
    write(line: line)
  }

  private func write(line: [UInt8]) {
    guard !isClosed else { return }
    do throws(FileError) {
      try Output.writeToStandard(line)
    } catch {
      isClosed = true
      if error.isBrokenPipe { end() } else { fail(error) }
    }
  }
}
