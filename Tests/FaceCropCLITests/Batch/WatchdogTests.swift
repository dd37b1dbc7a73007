import Glibc
import Testing

@testable import FaceCropCLI

/// The timer that ends a process, here far from its end.
@Suite struct WatchdogTests {
  private static func left() -> Double {
    var timer = itimerval()
    _ = unsafe getitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer)
    return Double(timer.it_value.tv_sec) + Double(timer.it_value.tv_usec) / 1e6
  }

  /// Waiting for other images does not count as hanging.
  @Test func waitingTakesNoTime() async throws {
    Watchdog.watch(.seconds(10_000))
    defer { Watchdog.rest() }
    #expect((14_000...15_001).contains(Self.left()))
    var during = -1.0
    await Watchdog.pause {
      during = Self.left()
      try? await Task.sleep(for: .milliseconds(20))
    }
    #expect(during == 0)
    #expect((14_000...15_001).contains(Self.left()))
    Watchdog.rest()
    #expect(Self.left() == 0)
  }
}
