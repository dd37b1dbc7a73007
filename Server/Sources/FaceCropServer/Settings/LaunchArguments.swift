import Foundation

/// Returns the process's arguments, its name first.
///
/// Swift 6.3 finds no arguments once a preloaded library, such as libfaketime, has set a variable and so moved the
/// environment. The system still has them (proc(5), `cmdline`).
func launchArguments() -> [String] {
  let found = CommandLine.arguments
  guard found.isEmpty, let file = FileHandle(forReadingAtPath: "/proc/self/cmdline"), let bytes = try? file.readToEnd()
  else { return found }
  return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
    String(decoding: $0, as: UTF8.self)
  }
}
