import Foundation
import Synchronization

/// The batch's own command, run again for single images.
struct ReviewEngine: Sendable {
  /// The path of `facecrop`.
  let program: String
  let record: ReportRecord

  /// Finds the command: `FACECROP` in the environment, the one beside this program, or the first one on PATH.
  static func find(_ environment: [String: String]) throws(SettingsError) -> String {
    if let named = environment["FACECROP"], !named.isEmpty {
      guard FileManager.default.isExecutableFile(atPath: named) else {
        throw SettingsError("FACECROP: '\(named)' is not a program (name the facecrop command)")
      }
      return URL(filePath: named).path
    }
    let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let folders =
      [own.map { URL(filePath: $0).deletingLastPathComponent().path }].compactMap(\.self)
      + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
    for folder in folders where FileManager.default.isExecutableFile(atPath: folder + "/facecrop") {
      return folder + "/facecrop"
    }
    throw SettingsError("a review needs the facecrop command (install it, or name it with FACECROP in the environment)")
  }

  /// The last lines that a run may print, in bytes.
  private static let mostText = 4_096

  /// Makes the outputs of the images in a list again, with the plans in a file. Blocks until the run ends.
  ///
  /// - Parameters:
  ///   - plans: The file of plans.
  ///   - list: The file of inputs.
  ///   - began: Called with the process, which can be ended.
  /// - Returns: The reason why the report was not written; nil if it was.
  private func run(plans: String, list: String, _ began: (Process) -> Void) -> String? {
    let before = record.pageVersion
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = record.arguments + ["--plan-in", plans, "--remake", list]
    process.currentDirectoryURL = URL(filePath: record.directory)
    // The server's settings may be secret.
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FACECROP") }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardError = pipe
    do {
      try process.run()
    } catch {
      return "'\(program)' cannot be run: \(error.localizedDescription)"
    }
    began(process)
    var text = Data()
    while let part = try? pipe.fileHandleForReading.read(upToCount: 1 << 16), !part.isEmpty {
      text = Data((text + part).suffix(Self.mostText))
    }
    process.waitUntilExit()
    guard record.pageVersion == before || record.pageVersion == nil else { return nil }
    let last = String(decoding: text, as: UTF8.self).split(separator: "\n").last { $0.hasPrefix("facecrop: ") }
    return last.map { String($0.dropFirst("facecrop: ".count)) }
      ?? "facecrop ended with status \(process.terminationStatus)"
  }

  /// Does the same on a thread of its own. Cancelling the task ends the run.
  func run(plans: String, list: String) async -> String? {
    struct Running: ~Copyable {
      var process: Process?
      var isCancelled = false
    }
    let running = Mutex(Running())
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          let fault = run(plans: plans, list: list) { process in
            running.withLock { state in
              state.process = process
              if state.isCancelled { process.terminate() }
            }
          }
          running.withLock { $0.process = nil }
          continuation.resume(returning: fault)
        }
      }
    } onCancel: {
      running.withLock { state in
        state.isCancelled = true
        state.process?.terminate()
      }
    }
  }
}
