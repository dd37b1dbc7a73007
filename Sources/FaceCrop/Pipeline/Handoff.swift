internal import Dispatch
internal import Synchronization

/// A channel from a producing thread to a task that requests values. Each value is produced only on request.
final class Handoff<Value: Sendable>: Sendable {
  private struct State {
    var reader: CheckedContinuation<Result<Value?, FaceCropError>, Never>?
    var isBegun = false
    /// The remaining values in reverse order; nil until the producer ends.
    var rest: [Result<Value?, FaceCropError>]?
    var isAbandoned = false
  }

  private let state = Mutex(State())
  /// The number of pending requests.
  private let wanted = DispatchSemaphore(value: 0)

  /// Requests a value and waits; nil after the last. An error is returned once.
  func next() async -> Result<Value?, FaceCropError> {
    await withCheckedContinuation { reader in
      let known = state.withLock { state -> Result<Value?, FaceCropError>? in
        if state.rest != nil { return state.rest!.popLast() ?? .success(nil) }
        state.reader = reader
        return nil
      }
      if let known { reader.resume(returning: known) } else { wanted.signal() }
    }
  }

  /// Passes a value to the reader, and blocks the thread until the next request. Throws ``FaceCropError/cancelled`` if
  /// the reader is gone.
  func give(_ value: Value) throws(FaceCropError) {
    // The producer may be faster than the first request.
    if !state.withLock({ $0.isBegun }) { wanted.wait() }
    let reader = state.withLock { state in
      state.isBegun = true
      return state.reader.take()
    }
    guard let reader else { throw .cancelled }
    reader.resume(returning: .success(value))
    wanted.wait()
    if state.withLock({ $0.isAbandoned }) { throw .cancelled }
  }

  /// Ends the work. The reader gets the last values, or the error, on request, and no thread waits.
  func end(_ outcome: Result<[Value], FaceCropError>) {
    let (reader, first) = state.withLock { state in
      switch outcome {
      case .success(let values): state.rest = values.reversed().map { .success($0) }
      case .failure(let error): state.rest = [.failure(error)]
      }
      let reader = state.reader.take()
      return (reader, reader == nil ? .success(nil) : state.rest!.popLast() ?? .success(nil))
    }
    reader?.resume(returning: first)
  }

  func abandon() {
    state.withLock { $0.isAbandoned = true }
    wanted.signal()
  }
}
