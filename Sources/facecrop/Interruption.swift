import Dispatch
import Glibc
import Synchronization

/// SIGINT and SIGTERM cancel the running task, so that it leaves nothing behind; a second one ends the process at once.
enum Interruption {
  static let exitStatus: CInt = 130

  /// Runs `body` as a task; `wasInterrupted` says afterwards whether a signal came.
  ///
  /// - Parameter lastWords: said where `body` does not end within a second after it.
  static func watch<Result: Sendable>(
    lastWords: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable () async -> Result
  ) async -> (result: Result, wasInterrupted: Bool) {
    // A signal that comes before anybody waits for it would end the process, with what the task has begun left behind.
    let (watched, begin) = AsyncStream.makeStream(of: Never.self)
    let task = Task {
      for await _ in watched {}
      return await body()
    }
    let seen = Flag()
    let result = await Signals.watch {
      if seen.value.exchange(true, ordering: .relaxed) { _exit(exitStatus) }
      task.cancel()
      // A read or an open that waits for another process cannot be cancelled; it holds nothing that must be put away.
      DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
        lastWords()
        _exit(exitStatus)
      }
    } during: {
      begin.finish()
      return await task.value
    }
    return (result, seen.value.load(ordering: .relaxed))
  }

  private final class Flag: Sendable {
    let value = Atomic(false)
  }
}
