import Dispatch
import Glibc

/// SIGINT and SIGTERM, which end a process unless it wants to know of them.
enum Signals {
  /// Calls `handle` at each of them while `body` runs.
  static func watch<Result>(
    _ handle: @escaping @Sendable () -> Void, during body: () async throws -> Result
  ) async rethrows -> Result {
    // Threads that work on pictures must not keep a signal waiting: a queue of its own.
    let queue = DispatchQueue(label: "facecrop.signals")
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler(handler: handle)
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    return try await body()
  }
}
