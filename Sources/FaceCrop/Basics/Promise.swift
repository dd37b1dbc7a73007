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
      switch state {
      case .open:
        state = .kept(value)
        return nil
      case .awaited(let continuation):
        state = .kept(value)
        return continuation
      case .kept:
        return nil
      }
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
