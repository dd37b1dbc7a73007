import Synchronization

/// Work in which equal pieces run once. All callers wait for the same run, which is cancelled after the last caller
/// leaves.
final class SharedWork<Key: Hashable & Sendable>: Sendable {
  typealias Outcome = Result<ImageResponse, ImageRequestError>

  private let state = Mutex(State())

  private struct State {
    var pieces: [Key: Piece] = [:]
    var nextNumber = 0

    func piece(_ key: Key, _ id: Int) -> Piece? {
      guard let piece = pieces[key], piece.id == id else { return nil }
      return piece
    }
  }

  private struct Piece {
    /// A number that distinguishes it from an equal piece that started later.
    let id: Int
    let ticket: DecodeQueue.Ticket
    var task: Task<Void, Never>?
    var callers: [Int: Caller] = [:]
    var degraded: ImageResponse?
  }

  private struct Caller {
    let events: RequestEvents
    let promise = Promise<Outcome>()
  }

  /// The channel from running work to its callers.
  struct Reporter: Sendable {
    fileprivate let work: SharedWork
    fileprivate let key: Key
    fileprivate let id: Int
    let ticket: DecodeQueue.Ticket

    /// Whether a caller wants a smaller image first.
    var wantsDegraded: Bool {
      work.state.withLock { $0.piece(key, id)?.callers.values.contains { $0.events.degraded != nil } ?? false }
    }

    func degraded(_ response: ImageResponse) {
      let receivers = work.state.withLock { state in
        guard state.piece(key, id) != nil else { return [@Sendable (ImageResponse) -> Void]() }
        state.pieces[key]!.degraded = response
        return state.pieces[key]!.callers.values.compactMap(\.events.degraded)
      }
      for receiver in receivers { receiver(response) }
    }

    func progress(_ progress: CropProgress) {
      let callers = work.state.withLock { $0.piece(key, id)?.callers ?? [:] }
      for (number, caller) in callers where caller.events.progress?(progress) == .stop {
        work.dismiss(number, of: key, id, with: .cancelled)
      }
    }
  }

  /// The running and waiting pieces.
  var count: Int { state.withLock { $0.pieces.count } }

  /// Joins equal running work, or calls `start`, whose task is cancelled after the last caller leaves. It calls
  /// `joined` with the ticket of equal work, if there is any.
  func outcome(
    of key: Key, priority: RequestPriority, deadline: Duration?, events: RequestEvents,
    joined: (DecodeQueue.Ticket) -> Void, start: @escaping @Sendable (Reporter) async -> Outcome
  ) async -> Outcome {
    let caller = Caller(events: events)
    let (number, id, other, early) = state.withLock { state in
      let number = state.nextNumber
      state.nextNumber += 1
      let other = state.pieces[key]?.ticket
      if other == nil {
        let ticket = DecodeQueue.Ticket(priority)
        let reporter = Reporter(work: self, key: key, id: number, ticket: ticket)
        state.pieces[key] = Piece(
          id: number, ticket: ticket, task: Task { self.finish(key, number, with: await start(reporter)) })
      }
      state.pieces[key]!.callers[number] = caller
      return (number, state.pieces[key]!.id, other, state.pieces[key]!.degraded)
    }
    if let other { joined(other) }
    if let early { events.degraded?(early) }

    let timer = deadline.map { deadline in
      Task {
        guard (try? await Task.sleep(for: deadline)) != nil else { return }
        dismiss(number, of: key, id, with: .deadlineExceeded)
      }
    }
    defer { timer?.cancel() }
    return await withTaskCancellationHandler {
      await caller.promise.value
    } onCancel: {
      dismiss(number, of: key, id, with: .cancelled)
    }
  }

  private func finish(_ key: Key, _ id: Int, with outcome: Outcome) {
    let callers = state.withLock { state in
      guard let piece = state.piece(key, id) else { return [Int: Caller]() }
      state.pieces[key] = nil
      return piece.callers
    }
    for caller in callers.values { caller.promise.keep(outcome) }
  }

  /// Removes a caller, and cancels the work after the last one.
  private func dismiss(_ number: Int, of key: Key, _ id: Int, with error: ImageRequestError) {
    let (caller, task) = state.withLock { state -> (Caller?, Task<Void, Never>?) in
      guard state.piece(key, id) != nil else { return (nil, nil) }
      let caller = state.pieces[key]!.callers.removeValue(forKey: number)
      guard state.pieces[key]!.callers.isEmpty else { return (caller, nil) }
      return (caller, state.pieces.removeValue(forKey: key)?.task)
    }
    task?.cancel()
    caller?.promise.keep(.failure(error))
  }
}
