internal import Synchronization

/// What a loader says of a download, as a request's progress: the bytes never go back, and are never more than there are in all.
final class FetchProgress: Sendable {
  /// The most that was reported; nil before the first report.
  private let furthest = Mutex<Int?>(nil)
  private let report: @Sendable (CropProgress) -> Void

  init(_ report: @escaping @Sendable (CropProgress) -> Void) {
    self.report = report
    note(received: 0, expected: nil)
  }

  /// - Parameter expected: nil is unknown.
  func note(received: Int, expected: Int?) {
    let isFurther = furthest.withLock { furthest in
      guard received >= 0, furthest.map({ received > $0 }) ?? true else { return false }
      furthest = received
      return true
    }
    if isFurther { report(CropProgress(phase: .fetch, completed: received, total: expected.map { max($0, received) })) }
  }

  /// All has come.
  func finish(_ bytes: Int) {
    report(CropProgress(phase: .fetch, completed: bytes, total: bytes))
  }
}
