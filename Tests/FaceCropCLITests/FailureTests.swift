import Foundation
import TestSupport
import Testing

/// Calls that fail on purpose: a small part of `make test-failures` and `make test-failures-memory`.
@Suite struct FailureTests {
  private func sweep(_ arguments: String...) throws -> Facecrop.Outcome {
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Failures/run").path
    return try Facecrop.Running(
      program: "/usr/bin/env", ["python3", script, "--facecrop", Facecrop.path] + arguments
    ).wait(timeout: 600)
  }

  /// Outputs are whole, manifests are not torn, and the next run repairs the rest.
  @Test func filesThatFail() throws {
    let outcome = try sweep("files", "--every", "7")
    #expect(outcome.status == 0, "\(outcome.text)\(outcome.stderr)")
    #expect(outcome.lines.last?.hasPrefix("| all |") == true)
  }

  /// The result is the right image, or an error about memory.
  @Test func memoryThatIsMissing() throws {
    let outcome = try sweep("memory", "--every", "2", "--only", "^(gif|png|tiff|webp)")
    #expect(outcome.status == 0, "\(outcome.text)\(outcome.stderr)")
    #expect(outcome.lines.last?.hasPrefix("| all |") == true)
  }
}
