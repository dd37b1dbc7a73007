import ArgumentParser
import FaceCrop
import Synchronization
import SystemPackage

/// The runner of every command but `batch`: it works on the inputs one by one, until the end or a signal, reports
/// failures, and throws the exit status. A failed input does not stop the others.
struct EachInput: Sendable {
  var inputs = GivenOptions.launch.inputs
  var page: Int?
  let limits: Limits
  var reporter = Reporter(.none)
  /// Whether standard output has a JSON line about each failed input.
  var json = false
  /// Whether inputs have output files. Standard error then tells all failures, and what was written before a signal.
  var writesFiles = false
  /// Other files that are read, and that no output may replace.
  var others: [FilePath] = []
  /// Returns the JSON line about a failed input.
  var line: @Sendable (_ input: Input.Name, Outcome.Obstacle) -> String = { input, obstacle in
    let error: JSONObject = [
      "kind": obstacle.reason.kind, "message": obstacle.reason.message, "retryable": obstacle.isRetryable,
    ]
    return JSONLines.safeLine(["file": input.text, "fileBase64": input.base64, "error": error] as JSONObject)
  }

  /// The state of a run.
  final class State: Sendable {
    /// The gate for all files that the command writes.
    let gate: WriteGate
    /// The number of complete outputs.
    let written = Atomic(0)
    /// The name in messages about a failure of the input.
    let subject: Mutex<String>

    fileprivate init(_ gate: WriteGate, subject: String) {
      self.gate = gate
      self.subject = Mutex(subject)
    }
  }

  /// Prints a text about each input, and throws the exit status. No output may replace an input.
  func callAsFunction(
    _ text: @escaping @Sendable (_ input: Input.Name, ImageSource, WriteGate) async throws -> String
  ) async throws {
    try await run { input, state in
      let text = try await text(input, Input.source(input.path, page: page, limits: limits), state.gate)
      // A truncated input makes any result invalid.
      try CutShortInput.check()
      try Output.writeToStandard(Array(text.utf8))
      return 0
    }
  }

  /// Calls `work`, which returns an exit status, with each input, and throws the exit status of all.
  func run(_ work: @escaping @Sendable (_ input: Input.Name, State) async throws -> CInt) async throws {
    let sidecars = writesFiles ? inputs.compactMap { Sidecar(beside: $0.path)?.path } : []
    let files = (inputs.map(\.path) + others).compactMap { Input.file($0) } + sidecars
    let gate: WriteGate
    do throws(FileError) {
      gate = try WriteGate(inputs: files)
    } catch {
      reporter.fail(Outcome.Obstacle(error), of: error.file)
      throw ExitCode.failure
    }
    let state = State(gate, subject: inputs.first?.text ?? "")
    CutShortInput.fillIn()
    let (status, wasInterrupted) = await Interruption.watch(lastWords: { sayInterrupted(state) }) {
      await workOnAll(work, state)
    }
    reporter.finish()
    if wasInterrupted { throw ExitCode(Interruption.exitStatus) }
    if status != 0 { throw ExitCode(status) }
  }

  private func workOnAll(_ work: (_ input: Input.Name, State) async throws -> CInt, _ state: State) async -> CInt {
    var status: CInt = 0
    for input in inputs {
      if Task.isCancelled { break }
      state.subject.withLock { $0 = input.text }
      do {
        let own = try await work(input, state)
        if status == 0 { status = own }
      } catch FaceCropError.cancelled {
        sayInterrupted(state)
        return Interruption.exitStatus
      } catch {
        let obstacle = Outcome.Obstacle(CutShortInput.fault ?? error)
        // A reader that closed the pipe has enough.
        if obstacle.file?.isBrokenPipe == true { return status }
        status = report(obstacle, of: input, state)
        if obstacle.file?.file == Output.standardName { return status }
      }
    }
    return status
  }

  /// Reports a failure, and returns the exit status.
  private func report(_ obstacle: Outcome.Obstacle, of input: Input.Name, _ state: State) -> CInt {
    let isPrinted = json && (writesFiles || obstacle.file == nil)
    if writesFiles || !isPrinted { reporter.fail(obstacle, of: state.subject.withLock { $0 }) }
    do throws(FileError) {
      if isPrinted { try Output.writeToStandard(Array(line(input, obstacle).utf8)) }
      return obstacle.exitStatus
    } catch {
      // Standard output may be the failed output itself.
      if !error.isBrokenPipe, error.file != obstacle.file?.file {
        reporter.fail(Outcome.Obstacle(error), of: error.file)
      }
      return ExitCode.failure.rawValue
    }
  }

  private func sayInterrupted(_ state: State) {
    guard writesFiles else { return }
    let count = state.written.load(ordering: .relaxed)
    let result = count == 0 ? "; nothing was written" : " after writing \(count) of the outputs"
    reporter.clearLine()
    reporter.fail(.failed(FaceCropError.cancelled.kind, "interrupted\(result)"), of: state.subject.withLock { $0 })
  }
}
