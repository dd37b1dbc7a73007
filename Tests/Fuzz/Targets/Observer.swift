import Synchronization

@testable import FaceCrop

/// An observer of one session's progress, which optionally cancels it.
final class Observer: Sendable {
  private struct State {
    var last: CropProgress?
    var count = 0
    var fault: String?
  }

  private let state = Mutex(State())
  let cancellation = Cancellation()
  private let cancelsAfter: Int?

  /// Creates an observer that cancels after a number of reports; nil for never.
  init(cancelsAfter: Int? = nil) {
    self.cancelsAfter = cancelsAfter
  }

  func job(limits: Limits) -> Job {
    Job(limits: limits, cancellation: cancellation) { [self] progress in note(progress) }
  }

  /// The fault of the reports.
  var fault: String? { state.withLock(\.fault) }
  /// The fraction of the last report; nil without one.
  var lastFraction: Double? { state.withLock { $0.last?.fraction } }

  private func note(_ progress: CropProgress) {
    state.withLock { state in
      // Only fetched data may have an unknown size.
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
