import Glibc
import SystemPackage

/// The terminal. Messages go to standard error, data to standard output.
enum Console {
  /// Prints a message on standard error, without control characters.
  static func say(_ line: String) {
    write("\(DisplayText.text(line))\n", to: .standardError)
  }

  /// Writes text unchanged. Use it only for text of this program.
  static func write(_ text: String, to descriptor: FileDescriptor) {
    _ = try? descriptor.writeAll(text.utf8)
  }

  /// Writes an event as a line of JSON on standard error.
  static func emit(_ event: JSONObject) { write(JSONLines.safeLine(event), to: .standardError) }

  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }
  /// The columns of the terminal; 80 without one.
  static var errorColumns: Int {
    var size = winsize()
    guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
  static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(width - count, 0))
  }
}
