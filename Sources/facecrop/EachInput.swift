import ArgumentParser
import FaceCrop
import SystemPackage

/// The loop of `detect`, `info`, and `check` over their inputs, with a text on standard output for each. A failed input
/// does not stop the others.
struct EachInput: Sendable {
  struct Name: Sendable {
    /// The name for messages.
    var text: String
    var path: FilePath
    /// The bytes of a name that is not UTF-8.
    var base64: String? { path.base64 }

    /// Returns the names of all inputs, in order.
    static func all(_ arguments: [String], _ raw: consuming RawArguments = RawArguments()) -> [Name] {
      arguments.map { Name(text: $0, path: raw.path($0)) }
    }
  }

  let inputs: [Name]
  let limits: Limits
  let reporter: Reporter
  /// The text for a failed input; nil reports the error on standard error.
  let failed: @Sendable (_ input: Name, FaceCropError) -> String?

  /// Runs to the end or a signal, and throws the exit status.
  func callAsFunction(
    _ text: @escaping @Sendable (_ input: Name, ImageSource) async throws -> String
  ) async throws {
    do throws(FileError) {
      // Those in folders, too.
      try StandardDescriptors.check(inputs.map(\.path))
    } catch {
      reporter.fail(error.file, error.message, kind: error.kind)
      throw ExitCode.failure
    }
    CutShortInput.fillIn()
    let (failures, wasInterrupted) = await Interruption.watch { await run(text) }
    if wasInterrupted { throw ExitCode(Interruption.exitStatus) }
    if failures > 0 { throw ExitCode.failure }
  }

  /// Processes all inputs, and returns the number of failures.
  private func run(_ text: (_ input: Name, ImageSource) async throws -> String) async -> Int {
    var failures = 0
    for input in inputs {
      if Task.isCancelled { break }
      var output: String?
      do {
        output = try await self.text(of: input, text)
      } catch let error as FaceCropError {
        if error == .cancelled { break }
        failures += 1
        output = failed(input, error)
        if output == nil { reporter.fail(input.text, error.sentence, kind: error.kind, isRetryable: error.mayPass) }
      } catch let error as FileError {
        reporter.fail(error.file, error.message, kind: error.kind, isRetryable: error.mayPass)
        failures += 1
      } catch {
        reporter.fail(input.text, "\(error)", kind: "internal")
        return failures + 1
      }
      do {
        if let output { try FileDescriptor.standardOutput.writeAll(output.utf8) }
      } catch {
        // A closed pipe is no failure, but a full disk is.
        if error as? Errno == .brokenPipe { return failures }
        reporter.fail("standard output", "write failed: \(error)", kind: "output")
        return failures + 1
      }
    }
    return failures
  }

  private func text(
    of input: Name, _ text: (_ input: Name, ImageSource) async throws -> String
  ) async throws -> String {
    let result: Result<String, any Error>
    do {
      result = .success(try await text(input, Input.source(input.path, limits: limits)))
    } catch {
      result = .failure(error)
    }
    // A truncated input makes any result invalid.
    try CutShortInput.check()
    return try result.get()
  }
}
