internal import Synchronization

/// A queue that admits work within bounds of slots and memory. Higher priority goes first, then older tickets.
/// Expensive work leaves one of several slots, so that a few large or hostile images do not delay all others.
///
/// Headers do not show all cost, so the queue also measures it. Work becomes long when its first turn of processor time
/// ends (``Job/turn``). It keeps its memory, but gives up its slot. Long work runs in slots that are free, and at least
/// one runs in any case. The rest is paused. There is up to four times as much long work as slots.
package final class AdmissionQueue: Sendable {
  private let mostWaiting: Int
  private let state: Mutex<State>

  /// The resources that work needs.
  package struct Demand: Sendable {
    /// The upper bound of its memory in bytes.
    var memory: Int
    /// Whether it takes far longer than a photo.
    var isExpensive: Bool
    /// Whether it only reads a header.
    var isHeader: Bool

    package init(memory: Int, isExpensive: Bool = false, isHeader: Bool = false) {
      (self.memory, self.isExpensive, self.isHeader) = (memory, isExpensive, isHeader)
    }

    static let header = Demand(memory: 0, isHeader: true)
  }

  /// The bounds and the work.
  struct State {
    let places: Int
    let budget: Int
    /// The work in slots.
    fileprivate var short = 0
    /// The work that gave up its slot.
    fileprivate var long = LongWork()
    fileprivate var runningExpensive = 0
    /// The running and paused readings of headers.
    fileprivate(set) var headers = 0
    fileprivate(set) var used = 0
    /// The waiting work, in order of admission.
    fileprivate var waiting: [Waiter] = []

    fileprivate init(places: Int, budget: Int) { (self.places, self.budget) = (places, budget) }

    /// The number of running and paused pieces of work.
    var running: Int { short + long.count }
    /// The part of them that gave up its slot.
    var runningLong: Int { long.count }
    var waitingCount: Int { waiting.count }

    private func fits(_ demand: Demand) -> Bool {
      short < places && used + demand.memory <= budget && !isHeldBack(demand)
    }

    /// Returns whether expensive work waits because the last slot is reserved for other work.
    private func isHeldBack(_ demand: Demand) -> Bool {
      demand.isExpensive && places > 1 && runningExpensive >= places - 1
    }

    fileprivate mutating func insert(_ waiter: Waiter) {
      let place = waiting.firstIndex { waiter.ticket.precedes($0.ticket) } ?? waiting.endIndex
      waiting.insert(waiter, at: place)
    }

    fileprivate mutating func remove(_ ticket: Ticket) -> Waiter? {
      waiting.firstIndex { $0.ticket === ticket }.map { waiting.remove(at: $0) }
    }

    fileprivate mutating func begin(_ demand: Demand) {
      short += 1
      used += demand.memory
      if demand.isExpensive { runningExpensive += 1 }
      if demand.isHeader { headers += 1 }
    }

    /// Counts a turn of running work. The first one frees its slot, unless there is too much long work.
    fileprivate mutating func endTurn(of work: Cancellation) -> [Resumption] {
      guard !long.endTurn(of: work), long.count / 4 < places else { return [] }
      short -= 1
      long.append(work)
      return letIn()
    }

    /// Runs and pauses long work by the number of free slots. A quarter of the slots, at least one, is always left to
    /// it, beside all slots in use.
    fileprivate mutating func share() {
      // A queue of memory alone counts no slots: it has any number of them, and may free a part of the memory first.
      guard long.count > 0 else { return }
      long.run(atMost: max(places - short, places / 4, 1))
    }

    /// Frees a slot and memory, or one of both. Long work frees its part instead of a slot.
    fileprivate mutating func end(_ demand: Demand, work: Cancellation?, place: Bool = true, memory: Bool = true) {
      if place {
        let wasLong = work.map { long.remove($0) } ?? false
        if !wasLong { short -= 1 }
        if demand.isExpensive { runningExpensive -= 1 }
        if demand.isHeader { headers -= 1 }
      }
      if memory { used -= demand.memory }
    }

    /// The index of the first work that may run. Expensive work that is held back can be overtaken, and runs when other
    /// expensive work ends. Only headers, which take no memory, overtake work that waits for memory. Otherwise large
    /// images would wait forever.
    private var next: Int? {
      waiting.firstIndex { !isHeldBack($0.demand) }.flatMap { first in
        fits(waiting[first].demand) ? first : waiting.firstIndex { $0.demand.isHeader }
      }
    }

    /// Admits waiting work in order.
    fileprivate mutating func letIn() -> [Resumption] {
      var resumptions: [Resumption] = []
      while let next, fits(waiting[next].demand) {
        let waiter = waiting.remove(at: next)
        begin(waiter.demand)
        resumptions.append(Resumption(continuation: waiter.continuation, refusal: nil))
      }
      return resumptions
    }
  }

  fileprivate struct Waiter {
    var ticket: Ticket
    var demand: Demand
    var continuation: CheckedContinuation<ImageRequestError?, Never>
  }

  /// Waiting work to resume, admitted or refused.
  fileprivate struct Resumption {
    var continuation: CheckedContinuation<ImageRequestError?, Never>
    var refusal: ImageRequestError?
  }

  /// Changes the state, and then resumes continuations, never under the lock. Swift calls a cancellation handler while
  /// it holds a lock of the task, which a resumption also needs. A handler that waits for this lock would deadlock.
  private func update(_ change: (inout State) -> [Resumption]) {
    let resumptions = state.withLock { state in
      defer { state.share() }
      return change(&state)
    }
    for resumption in resumptions {
      resumption.continuation.resume(returning: resumption.refusal)
    }
  }

  /// The position of one piece of work in the queue.
  package final class Ticket: Sendable {
    private static let count = Atomic(0)

    private let number = count.add(1, ordering: .relaxed).newValue
    private let urgency: Mutex<RequestPriority>

    package init(_ priority: RequestPriority) { urgency = Mutex(priority) }

    fileprivate(set) var priority: RequestPriority {
      get { urgency.withLock { $0 } }
      set { urgency.withLock { $0 = newValue } }
    }

    fileprivate func precedes(_ other: Ticket) -> Bool {
      let (own, others) = (priority, other.priority)
      return own == others ? number < other.number : own > others
    }
  }

  init(places: Int, budget: Int, mostWaiting: Int) {
    self.mostWaiting = max(mostWaiting, 0)
    state = Mutex(State(places: places, budget: max(budget, 0)))
  }

  /// Creates a queue with this number of bytes, and any number of slots.
  package convenience init(budget: Int) {
    self.init(places: .max, budget: budget, mostWaiting: .max)
  }

  /// The number of waiting pieces of work.
  package var waiting: Int { load.waitingCount }

  /// The state at one moment.
  var load: State { state.withLock { $0 } }

  /// Waits until there is a slot and the memory, and takes both. The memory is at most the budget. Throws
  /// ``ImageRequestError/overloaded(waiting:)`` or a cancellation.
  package func enter(_ demand: Demand, ticket: Ticket = Ticket(.normal)) async throws(ImageRequestError) {
    try await enter(demand, ticket, after: nil)
  }

  /// Waits like ``enter(_:ticket:)``. `ended` is earlier work of the same ticket. It frees its slot in the same moment,
  /// so that this work gets it unless older work waits. Such work is never refused.
  func enter(
    _ demand: Demand, _ ticket: Ticket, after ended: (demand: Demand, work: Cancellation?)?
  ) async throws(ImageRequestError) {
    let refusal = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<ImageRequestError?, Never>) in
        update { state in
          if let ended { state.end(ended.demand, work: ended.work) }
          if Task.isCancelled {
            return [Resumption(continuation: continuation, refusal: .cancelled)] + state.letIn()
          }
          state.insert(Waiter(ticket: ticket, demand: demand, continuation: continuation))
          let admitted = state.letIn()
          guard ended == nil, state.waiting.count > mostWaiting, let waiter = state.remove(ticket) else {
            return admitted
          }
          let refusal = ImageRequestError.overloaded(waiting: mostWaiting)
          return admitted + [Resumption(continuation: waiter.continuation, refusal: refusal)] + state.letIn()
        }
      }
    } onCancel: {
      update { state in
        guard let waiter = state.remove(ticket) else { return [] }
        return [Resumption(continuation: waiter.continuation, refusal: .cancelled)] + state.letIn()
      }
    }
    if let refusal { throw refusal }
  }

  /// Counts a turn of processor time of running work.
  func endTurn(of work: Cancellation) {
    update { $0.endTurn(of: work) }
  }

  /// Frees a slot and memory.
  package func leave(_ demand: Demand) { leave(demand, work: nil) }

  /// Frees a slot and memory, or one of both.
  ///
  /// - Parameter work: The work whose turns were counted; nil if none ended.
  func leave(_ demand: Demand, work: Cancellation?, place: Bool = true, memory: Bool = true) {
    update { state in
      state.end(demand, work: work, place: place, memory: memory)
      return state.letIn()
    }
  }

  /// Raises the priority of waiting work.
  func raise(_ ticket: Ticket, to priority: RequestPriority) {
    update { state in
      guard priority > ticket.priority else { return [] }
      ticket.priority = priority
      if let waiter = state.remove(ticket) { state.insert(waiter) }
      return state.letIn()
    }
  }
}
