import Glibc
import SystemPackage

/// The channel between an image process and its worker. It uses descriptors that no request knows, because standard
/// input and output have names in /dev.
struct PictureChannel: Sendable {
  let requests: FileDescriptor
  private let answers: FileDescriptor

  /// Moves standard input and output, once. Ends the process if that fails.
  init() {
    requests = Self.move(STDIN_FILENO)
    answers = Self.move(STDOUT_FILENO)
  }

  /// Sends a message. Ends the process if the worker is gone.
  func say(_ message: PictureMessage) {
    do {
      _ = try answers.writeAll(message.line)
    } catch {
      _exit(EXIT_FAILURE)
    }
  }

  private static func move(_ descriptor: CInt) -> FileDescriptor {
    let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
    let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
    guard moved >= 0, nothing >= 0, dup2(nothing, descriptor) == descriptor else { _exit(EXIT_FAILURE) }
    close(nothing)
    return FileDescriptor(rawValue: moved)
  }
}
