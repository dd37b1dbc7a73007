import ServiceLifecycle
import Synchronization

/// The time for clients to leave before the server ends. After the signal the server still responds, with `Connection:
/// close`, and is not ready. It ends early once no connection was open for a second, so that a client can open its
/// next.
final class Drain: Service {
  private static let step = Duration.milliseconds(50)
  private static let quiet = Duration.seconds(1)

  private let time: Duration
  private let connections: Connections
  private let state = Mutex(false)

  /// Creates a drain of at most `time`.
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
