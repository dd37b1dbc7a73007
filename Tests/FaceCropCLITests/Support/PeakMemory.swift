import Foundation
import TestSupport
import Testing

extension Facecrop {
  /// GNU time starts the program from its own process, since a program started here would inherit this one's peak.
  private static let time = "/usr/bin/time"
  static let canMeasureMemory = FileManager.default.isExecutableFile(atPath: time)

  /// Runs the binary, and returns its exit status and peak resident memory in bytes, including the mapped file.
  static func peakMemory(_ arguments: [String]) throws -> (status: Int32, bytes: Int) {
    try TemporaryFolder.with { folder in
      let running = try Running(program: time, ["-q", "-f", "%M", "-o", folder / "peak", path] + arguments)
      let outcome = try running.wait()
      let peak = try folder.text("peak").split(separator: "\n").last.flatMap { Int($0) }
      return (outcome.status, try #require(peak) << 10)
    }
  }
}
