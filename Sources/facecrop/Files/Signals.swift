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

/// The handling of SIGINT and SIGTERM, which cancel the running task, so that it leaves nothing behind. A second signal
/// ends the process immediately.
enum Interruption {
  static let exitStatus: CInt = 130

  /// Runs `body` as a task, and returns whether a signal came. It calls `lastWords` if `body` does not end within a
  /// second after the signal.
  static func watch<Result: Sendable>(
    lastWords: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable () async -> Result
  ) async -> (result: Result, wasInterrupted: Bool) {
    // The task waits for the handler. An earlier signal would end the process, and leave incomplete files behind.
    let (watched, begin) = AsyncStream.makeStream(of: Never.self)
    let task = Task {
      for await _ in watched {}
      return await body()
    }
    let seen = Atomic(false)
    let result = await Signals.watch {
      if seen.exchange(true, ordering: .relaxed) { _exit(exitStatus) }
      task.cancel()
      // A blocking read or open cannot be cancelled, and holds nothing to clean up.
      DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
        lastWords()
        _exit(exitStatus)
      }
    } during: {
      begin.finish()
      return await task.value
    }
    return (result, seen.load(ordering: .relaxed))
  }
}
