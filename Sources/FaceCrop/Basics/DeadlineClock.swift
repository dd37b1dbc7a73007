internal import Dispatch
internal import Synchronization

/// Ends jobs that are out of time. One timer for all, which is set anew only where a job's end comes before all others': a timer for
/// each wakes a thread twice, which takes longer than a small picture's decoding.
final class DeadlineClock: Sendable {
  static let shared = DeadlineClock()

  private struct State {
    var ends: [ObjectIdentifier: (job: Job, end: ContinuousClock.Instant)] = [:]
    /// When the timer goes off next.
    var next: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  /// Of its own: the others may be held by work.
  private let queue = DispatchQueue(label: "facecrop.clock")

  func watch(_ job: Job, for time: Duration) {
    let end = ContinuousClock.now + time
    state.withLock { state in
      state.ends[ObjectIdentifier(job)] = (job, end)
      wake(at: end, &state)
    }
  }

  func leave(_ job: Job) {
    state.withLock { _ = $0.ends.removeValue(forKey: ObjectIdentifier(job)) }
  }

  /// Sees to it that somebody looks at that time.
  private func wake(at end: ContinuousClock.Instant, _ state: inout State) {
    if let next = state.next, next <= end { return }
    state.next = end
    let time = end - .now
    queue.asyncAfter(deadline: .now() + .milliseconds(max(min(time.milliseconds, 1 << 40), 0))) { [self] in look() }
  }

  private func look() {
    let now = ContinuousClock.now
    let late = state.withLock { state in
      state.next = nil
      return state.ends.values.filter { $0.end <= now }.map(\.job)
    }
    let again = late.map { (job: $0, left: $0.endIfLate()) }
    state.withLock { state in
      for (job, left) in again where state.ends[ObjectIdentifier(job)] != nil {
        state.ends[ObjectIdentifier(job)] = left.map { (job, .now + $0) }
      }
      if let first = state.ends.values.map(\.end).min() { wake(at: first, &state) }
    }
  }
}
