internal import Dispatch
internal import Synchronization

/// A clock that ends jobs at their deadline, and counts their turns.
///
/// All jobs share one timer, which is set again only for an earlier deadline. A timer for each job would wake a thread
/// twice, which takes longer than decoding a small image.
final class DeadlineClock: Sendable {
  static let shared = DeadlineClock()

  private struct State {
    var ends: [ObjectIdentifier: (job: Job, end: ContinuousClock.Instant)] = [:]
    /// The next time at which the timer fires.
    var next: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  /// A queue of its own, because jobs may block the others.
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

  /// Sets the timer to fire by `end`.
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
    let again = late.map { (job: $0, left: $0.look()) }
    state.withLock { state in
      for (job, left) in again where state.ends[ObjectIdentifier(job)] != nil {
        state.ends[ObjectIdentifier(job)] = left.map { (job, .now + $0) }
      }
      if let first = state.ends.values.map(\.end).min() { wake(at: first, &state) }
    }
  }
}
