import Glibc

/// A timer that ends this process by SIGALRM if an image exceeds its time without reacting to its deadline, as when a
/// library hangs. It is the kernel's timer, which works even if the whole process hangs.
enum Watchdog {
  /// Starts the timer with 1.5 times the image's own limit of wall-clock time, plus a second.
  static func watch(_ limit: Duration) { set(limit / .seconds(1) * 1.5 + 1) }

  static func rest() { set(0) }

  /// Pauses the timer while `body` runs.
  static func pause(during body: () async -> Void) async {
    let left = set(0)
    await body()
    set(left)
  }

  /// Sets the timer, and returns the remaining seconds of the previous one.
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
