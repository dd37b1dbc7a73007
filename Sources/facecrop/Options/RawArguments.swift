import Glibc
import SystemPackage

/// The command line as it came, in bytes: Swift's strings repair what is no UTF-8, and would name other files.
struct RawArguments {
  private var paths: [String: [FilePath]] = [:]

  init() {
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = unsafe CommandLine.unsafeArgv[index] else { continue }
      let path = unsafe FilePath(platformString: argument)
      let text = unsafe String(cString: argument)
      if !path.isText { paths[text, default: []].append(path) }
    }
  }

  /// The path that an argument was before it became a string; of several that became the same, the next.
  mutating func path(_ argument: String) -> FilePath {
    guard let first = paths[argument]?.first else { return FilePath(argument) }
    if paths[argument]!.count > 1 { paths[argument]!.removeFirst() }
    return first
  }
}
