import Glibc
import SystemPackage

/// Standard input, output and error, which whoever starts the program may have closed.
enum StandardDescriptors {
  /// Puts /dev/null in the place of those that are closed. The next file that is opened would get the number, and be given what is
  /// meant for people. All are open for reading alone: input is at its end, and to write is an error as before.
  static func open() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      // The lowest free number, which is this one.
      guard unsafe Glibc.open("/dev/null", O_RDONLY) == descriptor else { _exit(EXIT_FAILURE) }
    }
  }

  /// Descriptors that a run needs beside the standard ones: Dispatch ends the process where it gets none for its own.
  private static let needed = 12

  /// Ends the process with a sentence where it may not open enough files.
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
