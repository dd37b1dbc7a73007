import Dispatch
import Glibc
import Synchronization

/// The signals SIGINT and SIGTERM.
enum Signals {
  /// Calls `handle` for each signal while `body` runs.
  static func watch<Result>(
    _ handle: @escaping @Sendable () -> Void, during body: () async throws -> Result
  ) async rethrows -> Result {
    // A separate queue, because threads that process images must not delay signals.
    let queue = DispatchQueue(label: "facecrop.signals")
    _ = hasCome.load(ordering: .relaxed)
    let sources = [SIGINT, SIGTERM].map { number in
      // This handler keeps a signal that comes before Dispatch installs its own.
      signal(number) { _ in Signals.hasCome.store(true, ordering: .relaxed) }
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler(handler: handle)
      source.setRegistrationHandler {
        if hasCome.exchange(false, ordering: .relaxed) { handle() }
      }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    return try await body()
  }

  private static let hasCome = Atomic(false)
}
