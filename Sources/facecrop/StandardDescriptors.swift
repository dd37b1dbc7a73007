import Glibc
import SystemPackage

/// Standard input, output, and error, which can be closed at the start.
enum StandardDescriptors {
  /// Opens /dev/null in place of closed descriptors. Otherwise the next opened file would get the number, and receive
  /// messages. All are read-only, so that input is empty, and writing fails as before.
  static func open() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      // `open` returns the lowest free number, which is this one.
      guard unsafe Glibc.open("/dev/null", O_RDONLY) == descriptor else { _exit(EXIT_FAILURE) }
    }
  }

  /// The descriptors that a run needs beside the standard ones. Dispatch ends the process if it gets none.
  private static let needed = 12

  /// Ends the process with a message if it cannot open enough files.
  static func reserve() {
    var opened: [CInt] = []
    var error: Errno?
    while opened.count < needed, error == nil {
      let next = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
      if next < 0 { error = Errno(rawValue: errno) } else { opened.append(next) }
    }
    for descriptor in opened { close(descriptor) }
    guard let error else { return }
    Console.say(
      "facecrop: only \(opened.count) more files can be opened, and \(needed) are needed: \(error) (raise the limit with ulimit -n)"
    )
    _exit(EXIT_FAILURE)
  }
}
