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
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
    if limit.rlim_cur < limit.rlim_max {
      var raised = limit
      raised.rlim_cur = limit.rlim_max
      if unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// Returns how many connections may be open with a limit of descriptors. With a small limit, each connection can have
  /// a folder and a file open too.
  static func connections(within limit: Int) -> Int { max(limit - own - reserve, (limit - own) / 3, 1) }

  /// The limit of open descriptors.
  static var limit: Int? {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return Int(clamping: limit.rlim_cur)
  }

  /// The number of open descriptors (proc(5), `fd`).
  static var open: Int? {
    guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
    defer { unsafe closedir(folder) }
    var count = 0
    while unsafe readdir(folder) != nil { count += 1 }
    // Excludes ".", ".." and the descriptor of the folder itself.
    return count - 3
  }
}
