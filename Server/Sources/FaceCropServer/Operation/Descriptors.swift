import Glibc

/// File descriptors of this process.
enum Descriptors {
  /// Kept free of connections: for files, hosts that images are fetched from, and the log.
  private static let reserve = 128

  /// Raises the number of descriptors that may be open to what the system allows this process.
  ///
  /// - Returns: That number.
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

  /// The connections that may be open where so many descriptors may be.
  static func connections(within limit: Int) -> Int { max(limit - reserve, limit / 2, 1) }

  /// The number of descriptors that may be open.
  static var limit: Int? {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return Int(clamping: limit.rlim_cur)
  }

  /// The number of descriptors that are open (proc(5), `fd`).
  static var open: Int? {
    guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
    defer { unsafe closedir(folder) }
    var count = 0
    while unsafe readdir(folder) != nil { count += 1 }
    // Two are no descriptors, and one is the folder's own.
    return count - 3
  }
}
