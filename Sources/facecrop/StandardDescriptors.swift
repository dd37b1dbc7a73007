import Glibc

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
}
