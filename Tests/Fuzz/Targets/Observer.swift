import Synchronization

@testable import FaceCrop

/// Watches the progress of one session, and cancels it if that is wanted.
final class Observer: Sendable {
  private struct State {
    var last: CropProgress?
    var count = 0
    var fault: String?
  }

  private let state = Mutex(State())
  let cancellation = Cancellation()
  private let cancelsAfter: Int?

  /// - Parameter cancelsAfter: so many reports; nil is never.
  init(cancelsAfter: Int? = nil) {
    self.cancelsAfter = cancelsAfter
  }

  func job(limits: Limits) -> Job {
    Job(limits: limits, cancellation: cancellation) { [self] progress in note(progress) }
  }

  /// What was wrong with the reports.
  var fault: String? { state.withLock(\.fault) }
  /// The fraction of the last report; nil when there was none.
  var lastFraction: Double? { state.withLock { $0.last?.fraction } }

  private func note(_ progress: CropProgress) {
    state.withLock { state in
      // Only what is fetched may be of unknown size.
      let total = progress.total ?? 0
      if total < 1 || !(0...total).contains(progress.completed) {
        state.fault = "progress is \(progress.completed) of \(total)"
      }
      if let last = state.last, last.phase == progress.phase, progress.fraction < last.fraction {
        state.fault = "progress goes back, from \(last) to \(progress)"
      }
      state.last = progress
      state.count += 1
      if state.count == cancelsAfter { cancellation.cancel() }
    }
  }
}
