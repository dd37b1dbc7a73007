import Foundation
import Glibc
import TestSupport

extension Facecrop {
  /// Runs the binary and returns its exit status and the peak of its resident memory in bytes, the mapped file included.
  /// What it prints is thrown away.
  static func peakMemory(_ arguments: [String]) throws -> (status: Int32, bytes: Int) {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
      unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    let words = unsafe ([path] + arguments).map { unsafe strdup($0) }
    defer { unsafe words.forEach { unsafe free($0) } }
    var process = pid_t()
    let status = unsafe posix_spawn(&process, path, &actions, nil, words + [nil], environ)
    guard status == 0 else { throw FixtureError("cannot start \(path): \(status)") }
    var end: Int32 = 0
    var usage = rusage()
    while unsafe wait4(process, &end, 0, &usage) < 0 {
      guard errno == EINTR else { throw FixtureError("cannot wait for \(path): \(errno)") }
    }
    // WIFEXITED and WEXITSTATUS, or the signal with a minus; glibc counts in KiB.
    return (end & 0x7F == 0 ? end >> 8 & 0xFF : -(end & 0x7F), Int(usage.ru_maxrss) << 10)
  }
}
