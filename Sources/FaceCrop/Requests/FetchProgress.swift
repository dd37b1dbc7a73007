internal import Synchronization

/// The progress of a download as that of a request. Bytes never decrease, and never exceed the total.
final class FetchProgress: Sendable {
  /// The highest report; nil before the first.
  private let furthest = Mutex<Int?>(nil)
  private let report: @Sendable (CropProgress) -> Void

  init(_ report: @escaping @Sendable (CropProgress) -> Void) {
    self.report = report
    note(received: 0, expected: nil)
  }

  /// Reports the received bytes; the expected ones are nil if unknown.
  func note(received: Int, expected: Int?) {
    let isFurther = furthest.withLock { furthest in
      guard received >= 0, furthest.map({ received > $0 }) ?? true else { return false }
      furthest = received
      return true
    }
    if isFurther { report(CropProgress(phase: .fetch, completed: received, total: expected.map { max($0, received) })) }
  }

  func finish(_ bytes: Int) {
    report(CropProgress(phase: .fetch, completed: bytes, total: bytes))
  }
}
