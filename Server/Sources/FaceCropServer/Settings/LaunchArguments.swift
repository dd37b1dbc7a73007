import Foundation

/// The words that the process was started with, its name first.
///
/// Swift 6.3 looks for them in memory in front of the environment, and finds none once a preloaded library has set a variable, which moves
/// the environment: libfaketime does so. The system knows them (proc(5), `cmdline`).
func launchArguments() -> [String] {
  let found = CommandLine.arguments
  guard found.isEmpty, let file = FileHandle(forReadingAtPath: "/proc/self/cmdline"), let bytes = try? file.readToEnd()
  else { return found }
  return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
    String(decoding: $0, as: UTF8.self)
  }
}
