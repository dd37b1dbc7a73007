import Glibc

/// Ends this process by SIGALRM when a picture takes longer than it can by rights: what does not hear that its time is over,
/// a library that hangs or a disk that does not answer. The kernel's timer, so that nothing in the process has to work for it.
enum Watchdog {
  /// The picture's own limit, at which it ends by itself, and half as much again and a second.
  static func watch(_ limit: Duration) { set(limit / .seconds(1) * 1.5 + 1) }

  static func rest() { set(0) }

  /// What is left of the time is left afterwards.
  static func pause(during body: () async -> Void) async {
    let left = set(0)
    await body()
    set(left)
  }

  /// - Returns: the seconds that were left.
  @discardableResult
  private static func set(_ seconds: Double) -> Double {
    let whole = min(seconds.rounded(.down), 1e9)
    var timer = itimerval()
    timer.it_value.tv_sec = Int(whole)
    timer.it_value.tv_usec = Int(min((seconds - whole) * 1e6, 999_999))
    var before = itimerval()
    _ = unsafe setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, &before)
    return Double(before.it_value.tv_sec) + Double(before.it_value.tv_usec) / 1e6
  }
}
