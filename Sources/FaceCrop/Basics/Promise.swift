import Synchronization

/// A value that is set once and awaited once, in any order.
final class Promise<Value: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Value, Never>)
    case kept(Value)
  }

  private let state = Mutex(State.open)

  /// Sets the value; later calls are ignored.
  func keep(_ value: Value) {
    let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
      if case .kept = state { return nil }
      defer { state = .kept(value) }
      return if case .awaited(let continuation) = state { continuation } else { nil }
    }
    waiting?.resume(returning: value)
  }

  /// The value. Only one task may wait for it.
  var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let known = state.withLock { state -> Value? in
          if case .kept(let value) = state { return value }
          state = .awaited(continuation)
          return nil
        }
        if let known { continuation.resume(returning: known) }
      }
    }
  }
}
