import FoundationEssentials
import Glibc

/// File descriptors of this process.
enum Descriptors {
  /// Descriptors kept free for files, for hosts that images are fetched from, and for the log.
  private static let reserve = 128
  /// Descriptors of the server itself: its socket, its event loops, timers and signals. A server without work has 17 on
  /// two processors.
  private static let own = 24
  /// The smallest limit that leaves some connections, each with a folder and a file.
  static let fewest = own + 3 * 8

  /// Raises the limit of open descriptors to the most that the system allows.
  ///
  /// - Returns: The new limit.
  static func raiseLimit() -> Int {
    guard var raised = limits else { return 1_024 }
    raised.rlim_cur = raised.rlim_max
    // If it fails, the limit stays.
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised)
    return limit ?? 1_024
  }

  /// Returns how many connections may be open with a limit of descriptors. With a small limit, each connection can have
  /// a folder and a file open too.
  static func connections(within limit: Int) -> Int { max(limit - own - reserve, (limit - own) / 3, 1) }

  private static var limits: rlimit? {
    var limits = rlimit()
    return unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 ? limits : nil
  }

  /// The limit of open descriptors.
  static var limit: Int? { limits.map { Int(clamping: $0.rlim_cur) } }

  /// The number of open descriptors (proc(5), `fd`).
  static var open: Int? {
    // Without the descriptor of the folder itself.
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { $0.count - 1 }
  }
}
