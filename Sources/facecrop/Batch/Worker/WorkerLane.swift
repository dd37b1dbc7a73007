import FaceCrop
import Glibc
import Subprocess

/// A job of a worker. It takes one request at a time, and has one image process, started with the first request and
/// again after each end.
struct WorkerLane: Sendable {
  let requests: RequestLines
  let answers: WorkerAnswers
  /// The admission of one request at a time, so that none waits for memory while it holds memory that another needs.
  let entry: SharedMemory
  let memory: SharedMemory

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
        if let obstacle = Self.obstacle(ended.terminationStatus, attempts: unanswered.count) {
          await answers.write(WorkerAnswer(unanswered.line, obstacle))
          waiting = await next()
        } else {
          waiting = unanswered
        }
      } catch {
        if let unanswered = waiting {
          await answers.write(
            WorkerAnswer(
              unanswered.line,
              .failed("process", "no process could be started for the image: \(error)", isRetryable: true)))
        }
        await answers.fail(FileError("worker", "an image's process cannot be started: \(error)", kind: "process"))
        return
      }
    }
  }

  /// A request, and the number of processes that ended during it.
  private typealias Attempt = (line: RequestLines.Line, count: Int)

  /// Returns the next request of acceptable length.
  private func next() async -> Attempt? {
    while let line = await requests.next() {
      guard line.isTooLong else { return (line, 0) }
      await answers.write(
        WorkerAnswer(
          line, .failed("request", "the line is longer than \(RequestLines.longest) bytes and was not read")))
    }
    return nil
  }

  /// This program, with the worker's options.
  private static let process = Configuration(
    executable: .path("/proc/self/exe"),
    arguments: Arguments(
      executablePathOverride: LaunchArguments.texts[0],
      remainingValues: Array(LaunchArguments.texts.dropFirst()) + ["--picture-process"]),
    // A crash is reported by the answer, not by a backtrace on standard error.
    environment: .inherit.updating(["SWIFT_BACKTRACE": "enable=no"]))

  // MARK: One process

  /// Answers requests up to the last, or until the process ends and leaves one unanswered.
  private func serve(
    _ waiting: inout Attempt?, _ process: Execution<CustomWriteInput, SequenceOutput, FileDescriptorOutput>
  ) async {
    var reader = AnswerReader(buffers: process.standardOutput.makeAsyncIterator())
    while let attempt = waiting {
      guard await ask(attempt.line, process.standardInputWriter, &reader) else { return }
      waiting = await next()
    }
  }

  /// The lines from a process. The package's own reader works by scalars, and takes as long as detecting faces in a
  /// small image.
  private struct AnswerReader {
    var buffers: SubprocessOutputSequence.Iterator
    var bytes = LineBuffer()

    /// Returns the next line without its end; nil after the process closed its output, even inside a line.
    mutating func next() async throws -> [UInt8]? {
      while true {
        if let line = bytes.line() { return Array(line) }
        guard let buffer = try await buffers.next() else { return nil }
        unsafe buffer.withUnsafeBytes { unsafe bytes.append($0) }
      }
    }
  }

  /// Sends a request in its turn, and returns whether the process answered before its end.
  private func ask(
    _ request: RequestLines.Line, _ writer: StandardInputWriter, _ reader: inout AnswerReader
  ) async -> Bool {
    await entry.acquire(1)
    var (entered, reserved) = (1, 0)
    defer {
      entry.release(entered)
      memory.release(reserved)
    }
    do {
      _ = try await writer.write(Array("\(request.number) ".utf8) + request.bytes + [UInt8(ascii: "\n")])
      while let line = try await reader.next(), let message = PictureMessage(line) {
        switch message {
        case .needs(let bytes):
          let granted = min(bytes, memory.budget - reserved)
          await memory.acquire(granted)
          reserved += granted
          _ = try await writer.write("\(PictureMessage.granted)\n")
        case .admitted:
          entry.release(entered)
          entered = 0
        case .answer(let object):
          await answers.write(object)
          return true
        }
      }
    } catch {
      // The exit status describes a process that ended.
    }
    return false
  }

  // MARK: The end of a process

  /// Returns the reason why a request has no result after the end of its process; nil to retry it.
  private static func obstacle(_ status: TerminationStatus, attempts: Int) -> Outcome.Obstacle? {
    let processes = "\(attempts) processes that worked on the image"
    switch status {
    case .signaled(SIGALRM):
      return .failed(
        "limit", "the process exceeded the time limit and was ended", "raise it with \(option: "timeout")",
        isRetryable: true)
    case .signaled(SIGKILL):
      // The system or a user killed the process, for example for lack of memory, which may not happen again.
      guard attempts >= 3 else { return nil }
      return .failed("crashed", "\(processes) were killed; it may need too much memory", isRetryable: true)
    case .signaled(let signal):
      return attempts < 2 ? nil : .failed("crashed", "\(processes) crashed, the last by signal \(signal)")
    case .exited(let code):
      return attempts < 2 ? nil : .failed("crashed", "\(processes) ended early, the last with status \(code)")
    }
  }
}
