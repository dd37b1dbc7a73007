import Synchronization

/// Lets work in: so many pieces at once, within a budget of memory, the most urgent first and then who came first; and no
/// more than so many wait.
final class DecodeQueue: Sendable {
  let places: Int
  /// Bytes.
  let budget: Int
  let mostWaiting: Int
  private let state = Mutex(State())

  private struct State {
    var running = 0
    var used = 0
    /// In the order in which they are let in.
    var waiting: [Waiter] = []

    mutating func insert(_ waiter: Waiter) {
      let place = waiting.firstIndex { $0.ticket.priority < waiter.ticket.priority } ?? waiting.endIndex
      waiting.insert(waiter, at: place)
    }
  }

  private struct Waiter {
    var ticket: Ticket
    var weight: Int
    var continuation: CheckedContinuation<ImageRequestError?, Never>
  }

  /// One piece of work's place in the line.
  final class Ticket: Sendable {
    private let urgency: Mutex<RequestPriority>

    init(_ priority: RequestPriority) {
      urgency = Mutex(priority)
    }

    fileprivate(set) var priority: RequestPriority {
      get { urgency.withLock { $0 } }
      set { urgency.withLock { $0 = newValue } }
    }
  }

  init(places: Int, budget: Int, mostWaiting: Int) {
    self.places = max(places, 1)
    self.budget = budget
    self.mostWaiting = max(mostWaiting, 0)
  }

  var load: (running: Int, waiting: Int, bytes: Int) {
    state.withLock { ($0.running, $0.waiting.count, $0.used) }
  }

  /// Runs `body` when there is a place for it.
  ///
  /// - Parameter weight: bytes that it may take.
  /// - Throws: ``ImageRequestError/overBudget(needed:budget:)``, ``ImageRequestError/overloaded(waiting:)``, a cancellation, and
  ///   what `body` throws.
  func run<Result>(
    _ ticket: Ticket, weight: Int, _ body: () async throws(ImageRequestError) -> Result
  ) async throws(ImageRequestError) -> Result {
    guard weight <= budget else { throw .overBudget(needed: weight, budget: budget) }
    try await enter(ticket, weight)
    defer { leave(weight) }
    return try await body()
  }

  /// Lets a waiting piece of work overtake the less urgent.
  func raise(_ ticket: Ticket, to priority: RequestPriority) {
    state.withLock { state in
      guard priority > ticket.priority else { return }
      ticket.priority = priority
      guard let place = state.waiting.firstIndex(where: { $0.ticket === ticket }) else { return }
      state.insert(state.waiting.remove(at: place))
    }
  }

  private func enter(_ ticket: Ticket, _ weight: Int) async throws(ImageRequestError) {
    let refusal = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<ImageRequestError?, Never>) in
        state.withLock { state in
          if Task.isCancelled {
            continuation.resume(returning: ImageRequestError.cancelled)
          } else if state.waiting.isEmpty && fits(weight, state) {
            state.running += 1
            state.used += weight
            continuation.resume(returning: nil)
          } else if state.waiting.count >= mostWaiting {
            continuation.resume(returning: ImageRequestError.overloaded(waiting: state.waiting.count))
          } else {
            state.insert(Waiter(ticket: ticket, weight: weight, continuation: continuation))
          }
        }
      }
    } onCancel: {
      state.withLock { state in
        guard let place = state.waiting.firstIndex(where: { $0.ticket === ticket }) else { return }
        state.waiting.remove(at: place).continuation.resume(returning: ImageRequestError.cancelled)
        letIn(&state)
      }
    }
    if let refusal { throw refusal }
  }

  private func leave(_ weight: Int) {
    state.withLock { state in
      state.running -= 1
      state.used -= weight
      letIn(&state)
    }
  }

  private func fits(_ weight: Int, _ state: borrowing State) -> Bool {
    state.running < places && state.used + weight <= budget
  }

  /// The first may have to wait for memory; no one overtakes it, or large pictures would wait for ever.
  private func letIn(_ state: inout State) {
    while let first = state.waiting.first, fits(first.weight, state) {
      state.waiting.removeFirst()
      state.running += 1
      state.used += first.weight
      first.continuation.resume(returning: nil)
    }
  }
}
