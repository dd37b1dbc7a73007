import Dispatch
import Glibc
import Synchronization

/// SIGINT and SIGTERM, which end a process unless it wants to know of them.
enum Signals {
  /// Calls `handle` at each of them while `body` runs.
  static func watch<Result>(
    _ handle: @escaping @Sendable () -> Void, during body: () async throws -> Result
  ) async rethrows -> Result {
    // Threads that work on pictures must not keep a signal waiting: a queue of its own.
    let queue = DispatchQueue(label: "facecrop.signals")
    _ = hasCome.load(ordering: .relaxed)
    let sources = [SIGINT, SIGTERM].map { number in
      // One that comes before Dispatch has put its own handler in this one's place is not lost.
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
