import Synchronization

/// Responses in progress. Equal requests wait for the same work, which is cancelled when nobody waits any more.
final class SharedAnswers: Sendable {
  private struct Work {
    let task: Task<Result<Answer, ServiceError>, Never>
    let number: Int
    var waiting = 1
  }

  private struct State {
    var works: [ResultCache.Key: Work] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  func answer(
    _ key: ResultCache.Key, _ make: @escaping @Sendable () async throws(ServiceError) -> Answer
  ) async throws(ServiceError) -> Answer {
    let (task, number) = state.withLock { state in
      if var work = state.works[key] {
        work.waiting += 1
        state.works[key] = work
        return (work.task, work.number)
      }
      state.next += 1
      let number = state.next
      let task = Task { () async -> Result<Answer, ServiceError> in
        defer { self.finish(key, number) }
        do throws(ServiceError) {
          return .success(try await make())
        } catch {
          return .failure(error)
        }
      }
      state.works[key] = Work(task: task, number: number)
      return (task, number)
    }
    return try await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      leave(key, number)
    }.get()
  }

  private func finish(_ key: ResultCache.Key, _ number: Int) {
    state.withLock { if $0.works[key]?.number == number { $0.works[key] = nil } }
  }

  private func leave(_ key: ResultCache.Key, _ number: Int) {
    let last = state.withLock { state -> Task<Result<Answer, ServiceError>, Never>? in
      guard state.works[key]?.number == number else { return nil }
      state.works[key]!.waiting -= 1
      guard state.works[key]!.waiting == 0 else { return nil }
      return state.works.removeValue(forKey: key)!.task
    }
    last?.cancel()
  }
}
