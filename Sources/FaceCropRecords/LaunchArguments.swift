internal import CBasics
import Glibc

/// The arguments of this process, its name first.
///
/// Swift 6.3 looks for them in /proc and on the stack, in front of the environment. A sandbox may have no /proc, and a
/// preloaded library such as libfaketime moves the environment.
public enum LaunchArguments {
  public static let bytes = (0..<fc_argument_count()).map { index in
    let argument = unsafe fc_argument(index)
    return unsafe Array(UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
  }
  public static let texts = bytes.map { String(decoding: $0, as: UTF8.self) }
}
