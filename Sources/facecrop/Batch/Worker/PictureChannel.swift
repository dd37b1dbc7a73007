import Glibc
import SystemPackage

/// What a picture process hears from its worker, and says to it. By numbers that no request knows: standard input and output, which
/// have names in /dev, are nobody's any more.
struct PictureChannel: Sendable {
  let requests: FileDescriptor
  private let answers: FileDescriptor

  /// Takes standard input and output away; once. Ends the process if that cannot be.
  init() {
    requests = Self.move(STDIN_FILENO)
    answers = Self.move(STDOUT_FILENO)
  }

  /// Ends the process if there is nobody to say it to.
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
