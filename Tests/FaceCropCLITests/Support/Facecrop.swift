import Dispatch
import Foundation
import Glibc
import TestSupport

/// The real binary, run as a user would run it.
enum Facecrop {
  /// The program beside the test bundle, or the one in FACECROP_BINARY.
  static let path: String = {
    if let named = ProcessInfo.processInfo.environment["FACECROP_BINARY"], !named.isEmpty { return named }
    let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("facecrop").path
  }()

  struct Outcome {
    /// The exit status, or the negative number of the signal that ended it.
    var status: Int32
    var stdout: [UInt8]
    var stderr: String

    var text: String { String(decoding: stdout, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }
    var errorLines: [String] { stderr.split(separator: "\n").map(String.init) }
  }

  static func run(
    _ arguments: String..., stdin: [UInt8] = [], environment: [String: String] = [:], currentDirectory: String? = nil,
    timeout: Double = 120
  ) throws -> Outcome {
    try run(
      arguments, stdin: stdin, environment: environment, currentDirectory: currentDirectory, timeout: timeout)
  }

  static func run(
    _ arguments: [String], stdin: [UInt8] = [], environment: [String: String] = [:], currentDirectory: String? = nil,
    timeout: Double = 120
  ) throws -> Outcome {
    let running = try Running(
      arguments, stdin: stdin, environment: environment, currentDirectory: currentDirectory)
    return try running.wait(timeout: timeout)
  }

  /// Runs a script with bash, in which `facecrop` is the binary.
  static func bash(_ script: String, currentDirectory: String? = nil, timeout: Double = 120) throws -> Outcome {
    let running = try Running(
      program: "/bin/bash", ["-c", "facecrop() { \"$FACECROP\" \"$@\"; }\n\(script)"], environment: ["FACECROP": path],
      currentDirectory: currentDirectory)
    return try running.wait(timeout: timeout)
  }

  /// Runs a script that prepares a test; throws if it fails.
  @discardableResult
  static func prepare(_ script: String, in folder: TemporaryFolder) throws -> Outcome {
    let outcome = try bash(script, currentDirectory: folder.path)
    guard outcome.status == 0 else { throw FixtureError("\(script): \(outcome.stderr)") }
    return outcome
  }

  /// A started process. Its streams are files, so that no full pipe can block it.
  final class Running {
    private let process = Process()
    private let streams: TemporaryFolder
    private let ended = DispatchSemaphore(value: 0)

    init(
      program: String = Facecrop.path, _ arguments: [String], stdin: [UInt8] = [],
      environment: [String: String] = [:], currentDirectory: String? = nil
    ) throws {
      streams = try TemporaryFolder()
      try streams.write(stdin, to: "in")
      try streams.write([], to: "out")
      try streams.write([], to: "err")
      // This variable sets the width of the help.
      var variables = ProcessInfo.processInfo.environment
      variables["COLUMNS"] = nil
      process.environment = variables.merging(environment) { $1 }
      process.executableURL = URL(fileURLWithPath: program)
      process.arguments = arguments
      if let currentDirectory { process.currentDirectoryURL = URL(fileURLWithPath: currentDirectory) }
      let input = try FileHandle(forReadingFrom: URL(fileURLWithPath: streams / "in"))
      let outputs = try ["out", "err"].map { try FileHandle(forWritingTo: URL(fileURLWithPath: streams / $0)) }
      // The process has its own copies. Foundation would keep ours open, and beyond a thousand descriptors
      // `Process.run()` reads past the end of the system's set.
      defer { for handle in [input] + outputs { try? handle.close() } }
      process.standardInput = input
      process.standardOutput = outputs[0]
      process.standardError = outputs[1]
      process.terminationHandler = { [ended] _ in ended.signal() }
      do {
        try process.run()
      } catch {
        streams.remove()
        throw error
      }
    }

    var isRunning: Bool { process.isRunning }

    /// Returns the text on standard error so far.
    func stderr() throws -> String { String(decoding: try streams.bytes("err"), as: UTF8.self) }

    func send(_ signal: Int32) {
      kill(process.processIdentifier, signal)
    }

    /// Waits for the end. Kills a process that takes longer than `timeout` seconds, and those that it started; its
    /// status then shows the signal.
    func wait(timeout: Double = 120) throws -> Outcome {
      defer { streams.remove() }
      if ended.wait(timeout: .now() + timeout) == .timedOut {
        // Foundation starts each process as the leader of a group. It reports the end when no member is left that
        // inherited its socket.
        kill(-process.processIdentifier, SIGKILL)
        send(SIGKILL)
        guard ended.wait(timeout: .now() + 30) == .success else {
          throw FixtureError("\(process.arguments ?? []) did not end after SIGKILL")
        }
      }
      let status = process.terminationStatus
      return Outcome(
        status: process.terminationReason == .exit ? status : -status, stdout: try streams.bytes("out"),
        stderr: try stderr())
    }
  }
}
