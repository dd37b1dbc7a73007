import FaceCrop
import Glibc
import Subprocess
import SystemPackage

/// One of a worker's jobs: takes a request when it has answered the one before, and has one picture process, started when the
/// first request comes and again whenever it has ended.
struct WorkerLane: Sendable {
  let requests: RequestLines
  let answers: WorkerAnswers
  /// Lets in one at a time: pictures come one after the other, so that none waits for memory while it holds what another waits for.
  let entry: Admission
  let memory: Admission

  func callAsFunction() async {
    var waiting = await next()
    while waiting != nil {
      do {
        let ended = try await run(
          Self.process, input: .inputWriter, output: .sequence, error: .currentStandardError
        ) { process in
          await serve(&waiting, process)
        }
        guard var unanswered = waiting else { return }
        unanswered.count += 1
        await answers.countRestart()
        if let outcome = Self.outcome(ended.terminationStatus, attempts: unanswered.count) {
          await answers.write(WorkerAnswer(unanswered.line, outcome))
          waiting = await next()
        } else {
          waiting = unanswered
        }
      } catch {
        if let unanswered = waiting {
          let outcome = Self.failed(
            "process", "no process could be started for the image: \(error)", isRetryable: true)
          await answers.write(WorkerAnswer(unanswered.line, outcome))
        }
        await answers.fail(FileError("worker", "an image's process cannot be started: \(error)", kind: "process"))
        return
      }
    }
  }

  private struct Attempt: Sendable {
    var line: RequestLines.Line
    /// Processes that it has seen ending.
    var count = 0
  }

  /// The next request that can be asked.
  private func next() async -> Attempt? {
    while let line = await requests.next() {
      guard line.isTooLong else { return Attempt(line: line) }
      let outcome = Self.failed(
        "request", "the line is longer than \(RequestLines.longest) bytes and was not read", isRetryable: false)
      await answers.write(WorkerAnswer(line, outcome))
    }
    return nil
  }

  /// This program, with the worker's options.
  private static let process = Configuration(
    executable: .path("/proc/self/exe"),
    arguments: Arguments(
      executablePathOverride: CommandLine.arguments[0],
      remainingValues: Array(CommandLine.arguments.dropFirst()) + ["--picture-process"]),
    // A crash is told by its answer, and not by pages on standard error.
    environment: .inherit.updating(["SWIFT_BACKTRACE": "enable=no"]))

  // MARK: One process

  /// Has requests answered until there are no more, or until the process ends: then that which has no answer is left.
  private func serve(
    _ waiting: inout Attempt?, _ process: Execution<CustomWriteInput, SequenceOutput, FileDescriptorOutput>
  ) async {
    var said = Said(process.standardOutput)
    while let attempt = waiting {
      await entry.acquire(1)
      var hold = Hold(entry: 1)
      let isAnswered = await ask(attempt.line, process.standardInputWriter, &said, &hold)
      await entry.release(hold.entry)
      await memory.release(hold.memory)
      guard isAnswered else { return }
      waiting = await next()
    }
  }

  /// The lines that a process says. (The package's own reads them scalar by scalar, and takes as long as a small picture's frame.)
  private struct Said {
    private var buffers: SubprocessOutputSequence.Iterator
    private var bytes: [UInt8] = []
    /// Where the next line begins.
    private var start = 0

    init(_ output: SubprocessOutputSequence) {
      buffers = output.makeAsyncIterator()
    }

    /// Without its end; nil when the process has closed its output, whatever there is of a line.
    mutating func next() async throws -> [UInt8]? {
      var searched = start
      while true {
        if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
          defer { start = end + 1 }
          return Array(bytes[start..<end])
        }
        bytes.removeFirst(start)
        start = 0
        searched = bytes.count
        guard let buffer = try await buffers.next() else { return nil }
        unsafe buffer.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
      }
    }
  }

  /// What a request has of what all lanes share.
  private struct Hold {
    var entry: Int
    var memory = 0
  }

  /// Whether there was an answer before the process ended.
  private func ask(
    _ request: RequestLines.Line, _ writer: StandardInputWriter,
    _ said: inout Said, _ hold: inout Hold
  ) async -> Bool {
    do {
      _ = try await writer.write(Array("\(request.number) ".utf8) + request.bytes + [UInt8(ascii: "\n")])
      while let line = try await said.next(), let message = PictureMessage(line) {
        switch message {
        case .needs(let bytes):
          let granted = min(bytes, memory.budget - hold.memory)
          await memory.acquire(granted)
          hold.memory += granted
          _ = try await writer.write("\(PictureMessage.granted)\n")
        case .admitted:
          await entry.release(hold.entry)
          hold.entry = 0
        case .answer(let object):
          await answers.write(object)
          return true
        }
      }
    } catch {
      // A process that has ended is told by how it ended.
    }
    return false
  }

  // MARK: The end of a process

  /// What becomes of a request of which a process ended; nil if it is worth another.
  private static func outcome(_ status: TerminationStatus, attempts: Int) -> Outcome? {
    switch status {
    case .signaled(SIGALRM):
      return failed(
        "limit", "the process exceeded the time limit and was ended (raise it with --timeout)", isRetryable: true
      )
    case .signaled(SIGKILL):
      // Somebody wanted the memory back, or the processor: nothing that must come again.
      guard attempts >= 3 else { return nil }
      return failed(
        "crashed", "\(attempts) processes that worked on the image were killed; it may need too much memory",
        isRetryable: true)
    case .signaled(let signal):
      guard attempts >= 2 else { return nil }
      return failed(
        "crashed", "\(attempts) processes that worked on the image crashed, the last by signal \(signal)",
        isRetryable: false)
    case .exited(let code):
      guard attempts >= 2 else { return nil }
      return failed(
        "crashed", "\(attempts) processes that worked on the image ended early, the last with status \(code)",
        isRetryable: false)
    }
  }

  private static func failed(_ kind: String, _ message: String, isRetryable: Bool) -> Outcome {
    var outcome = Outcome(.failed(kind, message))
    outcome.isRetryable = isRetryable
    return outcome
  }
}
