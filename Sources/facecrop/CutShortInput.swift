import Glibc

/// A mapped input that another program cuts short while it is read: the system says so by SIGBUS, on the thread that reads.
enum CutShortInput {
  /// Ends the process with a sentence and status 1 when it happens. Nothing is left behind: an output that is not complete
  /// has no name.
  static func watch() {
    signal(SIGBUS) { _ in
      let message: StaticString = "facecrop: the input was cut short by another program while it was read\n"
      _ = unsafe write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
      _exit(1)
    }
  }
}
