import Dispatch
import Synchronization
import SystemPackage

/// The lines of standard input, one when it is asked for; waiting for one can be ended.
final class RequestLines: Sendable {
  private struct State {
    var waiting: CheckedContinuation<[UInt8]?, Never>?
    var isEnded = false
  }

  private let reader = Mutex(LineReader(.standardInput))
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "facecrop.requests")

  /// The next line; nil at the end, or when it was ended. One caller at a time.
  func next() async -> [UInt8]? {
    await withCheckedContinuation { continuation in
      let isEnded = state.withLock { state in
        if !state.isEnded { state.waiting = continuation }
        return state.isEnded
      }
      if isEnded { return continuation.resume(returning: nil) }
      queue.async { [self] in
        let line = reader.withLock { try? $0.next() }
        resume(returning: line?.bytes)
      }
    }
  }

  /// No more lines are wanted, whoever waits for one.
  func end() {
    state.withLock { $0.isEnded = true }
    resume(returning: nil)
  }

  private func resume(returning line: [UInt8]?) {
    let waiting = state.withLock { $0.waiting.take() }
    waiting?.resume(returning: line)
  }
}
