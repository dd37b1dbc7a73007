internal import Glibc
internal import Synchronization

struct Stopwatch {
  private var before = Duration.zero
  private var since: ContinuousClock.Instant?

  var isPaused: Bool { since == nil }
  var elapsed: Duration { before + (since.map { ContinuousClock.now - $0 } ?? .zero) }

  mutating func start() { since = .now }

  mutating func pause() {
    before = elapsed
    since = nil
  }
}

/// The processor time that several calls use together.
final class SpentTime: Hashable, Sendable {
  let total = Mutex(Duration.zero)

  static func == (one: SpentTime, other: SpentTime) -> Bool { one === other }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The processor time of the thread that created it. Any thread may read it while that thread lives.
struct ThreadClock {
  private let clock: clockid_t

  init() {
    var clock = clockid_t()
    unsafe pthread_getcpuclockid(pthread_self(), &clock)
    self.clock = clock
  }

  var now: Duration {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
