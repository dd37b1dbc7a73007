import ServiceLifecycle
import Synchronization

/// Lets clients go before the server ends: for a while after the signal it answers on with `Connection: close`, and is not ready. It
/// ends sooner when no connection was open for a second: a client between two connections has time to open the next.
final class Drain: Service {
  private static let step = Duration.milliseconds(50)
  private static let quiet = Duration.seconds(1)

  private let time: Duration
  private let connections: Connections
  private let state = Mutex(false)

  /// - Parameter time: How long at most.
  init(time: Duration, connections: Connections) {
    self.time = time
    self.connections = connections
  }

  /// Whether the server is about to end.
  var isDraining: Bool { state.withLock { $0 } }

  func begin() { state.withLock { $0 = true } }

  func run() async throws {
    try await gracefulShutdown()
    begin()
    let end = ContinuousClock.now + time
    while connections.quiet.map({ $0 < Self.quiet }) ?? true, ContinuousClock.now < end {
      try await Task.sleep(for: Self.step)
    }
  }
}
