import FoundationEssentials
import Glibc
import SystemPackage

/// A finished program and its cost.
///
/// With `posix_spawn`, a new process shares memory with its parent until `exec`, and inherits its peak. This process
/// therefore stays small until the last measurement, and `peakMemory` is checked against its own peak.
struct Subprocess {
  /// Seconds.
  let wallTime: Double
  /// Seconds of all threads, in the program and in the system.
  let processorTime: Double
  /// Bytes of physical memory, including mapped files.
  let peakMemory: Int
  let output: String

  /// The path of this program.
  static let thisProgram = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""

  /// Runs a program to its end.
  ///
  /// - Parameter arguments: The program, found in `PATH`, and its arguments.
  /// - Throws: ``BenchError``, also if the program fails.
  @discardableResult
  static func run(_ arguments: [String]) throws -> Subprocess {
    let pipe = try FileDescriptor.pipe()
    defer { try? pipe.readEnd.close() }
    let start = Clock.wall.now
    let child = try pipe.writeEnd.closeAfter { try spawn(arguments, output: pipe.writeEnd) }
    let output = try readToEnd(pipe.readEnd)
    var status: CInt = 0
    var usage = rusage()
    guard unsafe wait4(child, &status, 0, &usage) == child else { throw BenchError("\(arguments[0]) was lost") }
    let wallTime = Clock.wall.now - start
    guard status == 0 else { throw BenchError("\(arguments.joined(separator: " ")) failed") }
    return Subprocess(
      wallTime: wallTime, processorTime: seconds(usage.ru_utime) + seconds(usage.ru_stime),
      peakMemory: usage.ru_maxrss * 1_024, output: output)
  }

  /// Returns the peak memory of this process in bytes.
  static func ownPeakMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
      let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
    else { throw BenchError("the system does not say how much memory this process has had") }
    return kibibytes * 1_024
  }

  private static func spawn(_ arguments: [String], output: FileDescriptor) throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, output.rawValue, STDOUT_FILENO)
    var argv = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { unsafe argv.forEach { unsafe free($0) } }
    var child: pid_t = 0
    guard unsafe posix_spawnp(&child, argv[0]!, &actions, nil, &argv, environ) == 0 else {
      throw BenchError("\(arguments[0]) cannot be run")
    }
    return child
  }

  private static func readToEnd(_ descriptor: FileDescriptor) throws -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try unsafe chunk.withUnsafeMutableBytes { unsafe try descriptor.read(into: $0) }
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<count]
    }
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }
}
