internal import Synchronization

/// A queue that admits work within bounds of places and memory. Higher priority goes first, then arrival order. Nothing
/// overtakes the first, or work with much memory would wait forever.
///
/// Work may pass through several stages, each with its own bounds. One bound covers the waiting work of all stages.
package final class AdmissionQueue: Sendable {
  private let mostWaiting: Int
  private let state: Mutex<[Stage]>

  /// The bounds and the work of a stage.
  struct Stage {
    let places: Int
    let budget: Int
    fileprivate(set) var running = 0
    fileprivate(set) var used = 0
    /// The waiting work, in order of admission.
    fileprivate var waiting: [Waiter] = []

    init(places: Int, budget: Int) { (self.places, self.budget) = (places, budget) }

    fileprivate func fits(_ weight: Int) -> Bool { running < places && used + weight <= budget }

    fileprivate mutating func insert(_ waiter: Waiter) {
      let place = waiting.firstIndex { $0.ticket.priority < waiter.ticket.priority } ?? waiting.endIndex
      waiting.insert(waiter, at: place)
    }

    fileprivate mutating func remove(_ ticket: Ticket) -> Waiter? {
      waiting.firstIndex { $0.ticket === ticket }.map { waiting.remove(at: $0) }
    }

    fileprivate mutating func begin(_ weight: Int) {
      running += 1
      used += weight
    }

    fileprivate mutating func letIn() -> [Resumption] {
      var resumptions: [Resumption] = []
      while let first = waiting.first, fits(first.weight) {
        waiting.removeFirst()
        begin(first.weight)
        resumptions.append(Resumption(continuation: first.continuation, refusal: nil))
      }
      return resumptions
    }
  }

  fileprivate struct Waiter {
    var ticket: Ticket
    var weight: Int
    var continuation: CheckedContinuation<ImageRequestError?, Never>
  }

  /// Waiting work to resume, admitted or refused.
  fileprivate struct Resumption {
    var continuation: CheckedContinuation<ImageRequestError?, Never>
    var refusal: ImageRequestError?
  }

  /// Changes the state, and then resumes continuations, never under the lock. Swift calls a cancellation handler while
  /// it holds a lock of the task, which a resumption also needs. A handler that waits for this lock would deadlock.
  private func update(_ change: (inout [Stage]) -> [Resumption]) {
    for resumption in state.withLock({ change(&$0) }) {
      resumption.continuation.resume(returning: resumption.refusal)
    }
  }

  /// The position of one piece of work in the queue.
  package final class Ticket: Sendable {
    private let urgency: Mutex<RequestPriority>

    package init(_ priority: RequestPriority) { urgency = Mutex(priority) }

    fileprivate(set) var priority: RequestPriority {
      get { urgency.withLock { $0 } }
      set { urgency.withLock { $0 = newValue } }
    }
  }

  init(_ stages: [Stage], mostWaiting: Int) {
    self.mostWaiting = max(mostWaiting, 0)
    state = Mutex(stages)
  }

  /// Creates a queue of one stage with this number of bytes, and any number of places.
  package convenience init(budget: Int) {
    self.init([Stage(places: .max, budget: budget)], mostWaiting: .max)
  }

  /// The number of waiting pieces of work.
  package var waiting: Int { state.withLock { Self.waiting($0) } }

  private static func waiting(_ stages: [Stage]) -> Int { stages.reduce(0) { $0 + $1.waiting.count } }

  /// The stages, and the number of waiting pieces of work, at one moment.
  var load: (stages: [Stage], waiting: Int) { state.withLock { ($0, Self.waiting($0)) } }

  /// Waits until a stage has a place and this number of bytes, and takes both. The bytes are at most the budget. Throws
  /// ``ImageRequestError/overloaded(waiting:)`` or a cancellation.
  package func enter(
    _ stage: Int = 0, _ ticket: Ticket = Ticket(.normal), weight: Int
  ) async throws(ImageRequestError) {
    let refusal = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<ImageRequestError?, Never>) in
        update { stages in
          if Task.isCancelled { return [Resumption(continuation: continuation, refusal: .cancelled)] }
          if stages[stage].waiting.isEmpty && stages[stage].fits(weight) {
            stages[stage].begin(weight)
            return [Resumption(continuation: continuation, refusal: nil)]
          }
          let waiting = Self.waiting(stages)
          guard waiting < mostWaiting else {
            return [Resumption(continuation: continuation, refusal: .overloaded(waiting: waiting))]
          }
          stages[stage].insert(Waiter(ticket: ticket, weight: weight, continuation: continuation))
          return []
        }
      }
    } onCancel: {
      update { stages in
        guard let waiter = stages[stage].remove(ticket) else { return [] }
        return [Resumption(continuation: waiter.continuation, refusal: .cancelled)] + stages[stage].letIn()
      }
    }
    if let refusal { throw refusal }
  }

  /// Frees places and memory of a stage.
  package func leave(_ stage: Int = 0, places: Int = 1, weight: Int) {
    update { stages in
      stages[stage].running -= places
      stages[stage].used -= weight
      return stages[stage].letIn()
    }
  }

  /// Raises the priority of waiting work.
  func raise(_ ticket: Ticket, to priority: RequestPriority) {
    state.withLock { stages in
      guard priority > ticket.priority else { return }
      ticket.priority = priority
      for stage in stages.indices {
        if let waiter = stages[stage].remove(ticket) { stages[stage].insert(waiter) }
      }
    }
  }
}
