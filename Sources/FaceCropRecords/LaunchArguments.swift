import FaceCrop
import Glibc
import SystemPackage

/// The arguments of this process, its name first.
///
/// Swift 6.3 looks for them on the stack, in front of the environment. A preloaded library that sets a variable, such as
/// libfaketime, moves the environment to the heap first. Swift then finds none, while the system still has them (proc(5),
/// `cmdline`).
public enum LaunchArguments {
  public static let bytes = read()
  public static let texts = bytes.map { String(decoding: $0, as: UTF8.self) }

  private static func read() -> [[UInt8]] {
    guard CommandLine.argc > 0 else {
      let file = try? FileDescriptor.open(FilePath("/proc/self/cmdline"), .readOnly, options: .closeOnExec)
      let line = (try? file?.closeAfter { try file?.readToEnd(atMost: 1 << 26) }) ?? []
      return line.split(separator: 0, omittingEmptySubsequences: false).dropLast().map(Array.init)
    }
    var all: [[UInt8]] = []
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = unsafe CommandLine.unsafeArgv[index] else { continue }
      all.append(unsafe Array(UnsafeRawBufferPointer(start: argument, count: strlen(argument))))
    }
    return all
  }
}
