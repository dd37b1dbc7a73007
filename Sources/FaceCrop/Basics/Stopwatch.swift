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
