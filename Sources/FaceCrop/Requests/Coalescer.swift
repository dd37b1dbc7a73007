import Synchronization

/// Work in which equal pieces run once. All callers wait for the same run, which is cancelled after the last caller
/// leaves. A caller that is cancelled leaves at once.
public final class Coalescer<Key: Hashable & Sendable, Value: Sendable, Failure: Error>: Sendable {
  typealias Outcome = Result<Value, Failure>

  private let cancelled: Failure
  private let state = Mutex(State())

  private struct State {
    var pieces: [Key: Piece] = [:]
    var nextNumber = 0

    func piece(_ key: Key, _ id: Int) -> Piece? {
      guard let piece = pieces[key], piece.id == id else { return nil }
      return piece
    }

    /// Adds a caller, and starts a piece without one. Returns the caller's number and the piece.
    mutating func add(_ caller: Caller, to key: Key, piece: (_ id: Int) -> Piece) -> (number: Int, piece: Piece) {
      nextNumber += 1
      pieces[key, default: piece(nextNumber)].callers[nextNumber] = caller
      return (nextNumber, pieces[key]!)
    }
  }

  private struct Piece {
    /// The number of its first caller, which distinguishes it from an equal piece that started later.
    let id: Int
    let ticket: AdmissionQueue.Ticket
    /// The task; nil if the first caller itself works.
    var task: Task<Void, Never>?
    var callers: [Int: Caller] = [:]
    var early: Value?
  }

  /// The callbacks of a caller.
  struct Events: Sendable {
    /// The callback for a value before the last one; nil if not wanted.
    var early: (@Sendable (Value) -> Void)?
    var progress: (@Sendable (CropProgress) -> ProgressAction)?
  }

  private struct Caller {
    var events = Events()
    let promise = Promise<Outcome>()
  }

  /// Creates an empty set of work. Callers that are cancelled fail with `cancelled`.
  public init(cancelled: Failure) { self.cancelled = cancelled }

  /// The running and waiting pieces.
  var count: Int { state.withLock { $0.pieces.count } }

  /// Joins equal running work, or calls `make`, whose task is cancelled after the last caller leaves. It calls `joined`
  /// as soon as the caller has joined equal work.
  ///
  /// - Throws: The errors of `make`, or the failure of cancelled callers.
  public func value(
    of key: Key, joined: @Sendable () -> Void = {}, make: @escaping @Sendable () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await outcome(of: key, joined: { _ in joined() }) { (_) async throws(Failure) in try await make() }.get()
  }

  // MARK: Work in a task

  /// The channel from running work to its callers.
  struct Reporter: Sendable {
    fileprivate let work: Coalescer
    fileprivate let key: Key
    fileprivate let id: Int
    let ticket: AdmissionQueue.Ticket

    /// Whether a caller wants a value before the last one.
    var wantsEarly: Bool {
      work.state.withLock { $0.piece(key, id)?.callers.values.contains { $0.events.early != nil } ?? false }
    }

    func early(_ value: Value) {
      let receivers = work.state.withLock { state in
        guard state.piece(key, id) != nil else { return [@Sendable (Value) -> Void]() }
        state.pieces[key]!.early = value
        return state.pieces[key]!.callers.values.compactMap(\.events.early)
      }
      for receiver in receivers { receiver(value) }
    }

    func progress(_ progress: CropProgress) {
      let callers = work.state.withLock { $0.piece(key, id)?.callers ?? [:] }
      for (number, caller) in callers where caller.events.progress?(progress) == .stop {
        work.dismiss(number, of: key, id, with: work.cancelled)
      }
    }
  }

  /// Joins equal running work, or calls `start`, whose task is cancelled after the last caller leaves. It calls
  /// `joined` with the ticket of equal work, if there is any. After the deadline the caller leaves with its failure.
  func outcome(
    of key: Key, priority: RequestPriority = .normal, deadline: (after: Duration, failure: Failure)? = nil,
    events: Events = Events(), joined: (AdmissionQueue.Ticket) -> Void = { _ in },
    start: @escaping @Sendable (Reporter) async throws(Failure) -> Value
  ) async -> Outcome {
    let caller = Caller(events: events)
    let (number, piece) = state.withLock { state in
      state.add(caller, to: key) { id in
        let reporter = Reporter(work: self, key: key, id: id, ticket: AdmissionQueue.Ticket(priority))
        let task = Task {
          do throws(Failure) {
            self.finish(key, id, with: .success(try await start(reporter)))
          } catch {
            self.finish(key, id, with: .failure(error))
          }
        }
        return Piece(id: id, ticket: reporter.ticket, task: task)
      }
    }
    if piece.id != number { joined(piece.ticket) }
    if let early = piece.early { events.early?(early) }

    let timer = deadline.map { deadline in
      Task {
        guard (try? await Task.sleep(for: min(deadline.after, .century))) != nil else { return }
        dismiss(number, of: key, piece.id, with: deadline.failure)
      }
    }
    defer { timer?.cancel() }
    return await outcome(for: caller, number, of: key, piece.id)
  }

  private func outcome(for caller: Caller, _ number: Int, of key: Key, _ id: Int) async -> Outcome {
    await withTaskCancellationHandler {
      await caller.promise.value
    } onCancel: {
      dismiss(number, of: key, id, with: cancelled)
    }
  }

  // MARK: Work in the first caller

  /// The leader among equal callers. It works, and the others wait for its outcome.
  struct Leader: Sendable {
    fileprivate let work: Coalescer
    fileprivate let key: Key
    fileprivate let id: Int

    /// Passes the outcome to the others. Only the first call counts.
    func end(with outcome: Outcome) { work.finish(key, id, with: outcome) }

    /// Passes a failure to the others.
    func abandon() { end(with: .failure(work.cancelled)) }
  }

  enum Role {
    case leads(Leader)
    case follows(Outcome)
  }

  /// Waits for equal running work. Without any, makes the caller its leader.
  func role(for key: Key) async -> Role {
    let caller = Caller()
    let (number, piece) = state.withLock { state in
      state.add(caller, to: key) { Piece(id: $0, ticket: AdmissionQueue.Ticket(.normal)) }
    }
    if number == piece.id { return .leads(Leader(work: self, key: key, id: number)) }
    return .follows(await outcome(for: caller, number, of: key, piece.id))
  }

  // MARK: The end

  private func finish(_ key: Key, _ id: Int, with outcome: Outcome) {
    let callers = state.withLock { state in
      guard let piece = state.piece(key, id) else { return [Int: Caller]() }
      state.pieces[key] = nil
      return piece.callers
    }
    for caller in callers.values { caller.promise.keep(outcome) }
  }

  /// Removes a caller, and cancels the work after the last one.
  private func dismiss(_ number: Int, of key: Key, _ id: Int, with failure: Failure) {
    let (caller, task) = state.withLock { state -> (Caller?, Task<Void, Never>?) in
      guard state.piece(key, id) != nil else { return (nil, nil) }
      let caller = state.pieces[key]!.callers.removeValue(forKey: number)
      guard state.pieces[key]!.callers.isEmpty else { return (caller, nil) }
      return (caller, state.pieces.removeValue(forKey: key)?.task)
    }
    task?.cancel()
    caller?.promise.keep(.failure(failure))
  }
}
