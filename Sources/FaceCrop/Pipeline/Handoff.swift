internal import Dispatch
internal import Synchronization

/// Hands values from a thread that makes them to a task that asks for them: the next is not begun before it is asked for.
final class Handoff<Value: Sendable>: Sendable {
  private struct State {
    var reader: CheckedContinuation<Result<Value?, FaceCropError>, Never>?
    /// Whether a value was given.
    var isBegun = false
    /// What is left to be read, the next last; nil while there may be more.
    var rest: [Result<Value?, FaceCropError>]?
    var isAbandoned = false
  }

  private let state = Mutex(State())
  /// Counts what was asked for.
  private let wanted = DispatchSemaphore(value: 0)

  /// Asks for a value and waits; nil behind the last. An error is given once.
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

  /// Gives a value to whoever asked for it, and holds the thread until the next is asked for.
  ///
  /// - Throws: ``FaceCropError/cancelled`` when nobody will ask any more.
  func give(_ value: Value) throws(FaceCropError) {
    // The work may be faster than the first that asks.
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

  /// The work is done: gives the last values, or what went wrong, as they are asked for, and holds nobody.
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

  /// Nobody will ask any more.
  func abandon() {
    state.withLock { $0.isAbandoned = true }
    wanted.signal()
  }
}
