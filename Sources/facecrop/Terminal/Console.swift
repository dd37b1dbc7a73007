import Glibc
import SystemPackage

/// Talk goes to standard error, data to standard output.
enum Console {
  /// One line for people, on standard error, in which nothing steers their terminal.
  static func say(_ line: String) {
    write("\(Shown.text(line))\n", to: .standardError)
  }

  /// Writes a text as it is: what this program alone has made.
  static func write(_ text: String, to descriptor: FileDescriptor) {
    _ = try? descriptor.writeAll(text.utf8)
  }

  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }
  /// Columns of the terminal; 80 where there is none.
  static var errorColumns: Int {
    var size = winsize()
    guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
  static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}
