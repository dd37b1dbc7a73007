import ArgumentParser
import FaceCrop
import SystemPackage

/// What `detect` and `info` have in common: one input after the other, and for each a text on standard output. One that
/// fails does not hold up the others.
struct EachInput: Sendable {
  let inputs: [String]
  let limits: Limits
  let reporter: Reporter
  /// What is printed of an input that failed; nil is nothing, and a sentence on standard error.
  let failed: @Sendable (_ input: String, FaceCropError) -> String?

  /// Runs until the end or a signal; throws what the process's status is to be.
  func callAsFunction(
    _ text: @escaping @Sendable (_ input: String, ImageSource) async throws -> String
  ) async throws {
    let (failures, wasInterrupted) = await Interruption.watch { await run(text) }
    if wasInterrupted { throw ExitCode(Interruption.exitStatus) }
    if failures > 0 { throw ExitCode.failure }
  }

  /// Returns how many failed.
  private func run(_ text: (_ input: String, ImageSource) async throws -> String) async -> Int {
    var failures = 0
    for input in inputs {
      if Task.isCancelled { break }
      var output: String?
      do {
        output = try await text(input, Input.source(input, limits: limits))
      } catch let error as FaceCropError {
        if error == .cancelled { break }
        failures += 1
        output = failed(input, error)
        if output == nil { reporter.fail(input, error.sentence, kind: error.kind) }
      } catch let error as FileError {
        reporter.fail(error.file, error.message, kind: error.kind)
        return failures + 1
      } catch {
        reporter.fail(input, "\(error)", kind: "internal")
        return failures + 1
      }
      do {
        if let output { try FileDescriptor.standardOutput.writeAll(output.utf8) }
      } catch {
        // A reader that went away is no failure; a full disk is.
        if error as? Errno == .brokenPipe { return failures }
        reporter.fail("standard output", "cannot be written: \(error)", kind: "output")
        return failures + 1
      }
    }
    return failures
  }
}
