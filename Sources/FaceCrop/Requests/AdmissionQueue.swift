internal import Synchronization

/// A queue that admits work within bounds of slots and memory. Higher priority goes first, then arrival order.
/// Expensive work leaves one of several slots to other work, so that a few large or hostile images do not delay all
/// others.
///
/// Headers do not show all cost, so a stage also measures it. Work becomes long when its first turn of processor time
/// ends (``Job/turn``). It keeps its memory, but gives up its slot. Long work runs in slots that are free, and at least
/// one runs in any case. The rest is paused. A stage has up to four times as much long work as slots.
///
/// Work may pass through several stages, each with its own bounds. One bound covers the waiting work of all stages.
package final class AdmissionQueue: Sendable {
  private let mostWaiting: Int
  private let state: Mutex<[Stage]>

  /// The resources that work needs.
  package struct Demand: Sendable {
    /// The upper bound of its memory in bytes.
    var memory: Int
    /// Whether it takes far longer than a photo.
    var isExpensive = false

    package init(memory: Int, isExpensive: Bool = false) { (self.memory, self.isExpensive) = (memory, isExpensive) }
  }

  /// The bounds and the work of a stage.
  struct Stage {
    let places: Int
    let budget: Int
    /// The work in slots.
    fileprivate var short = 0
    /// The work that gave up its slot.
    fileprivate var long = LongWork()
    fileprivate var runningExpensive = 0
    fileprivate(set) var used = 0
    /// The waiting work, in order of admission.
    fileprivate var waiting: [Waiter] = []

    init(places: Int, budget: Int) { (self.places, self.budget) = (places, budget) }

    /// The number of running and paused pieces of work.
    var running: Int { short + long.count }
    /// The part of them that gave up its slot.
    var runningLong: Int { long.count }

    private func fits(_ demand: Demand) -> Bool {
      short < places && used + demand.memory <= budget && !isHeldBack(demand)
    }

    /// Returns whether expensive work waits because the last slot is reserved for other work.
    private func isHeldBack(_ demand: Demand) -> Bool {
      demand.isExpensive && places > 1 && runningExpensive >= places - 1
    }

    fileprivate mutating func insert(_ waiter: Waiter) {
      let place = waiting.firstIndex { $0.ticket.priority < waiter.ticket.priority } ?? waiting.endIndex
      waiting.insert(waiter, at: place)
    }

    fileprivate mutating func remove(_ ticket: Ticket) -> Waiter? {
      waiting.firstIndex { $0.ticket === ticket }.map { waiting.remove(at: $0) }
    }

    fileprivate mutating func begin(_ demand: Demand) {
      short += 1
      used += demand.memory
      if demand.isExpensive { runningExpensive += 1 }
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
    fileprivate mutating func end(
      _ demand: Demand, work: Cancellation?, place: Bool, memory: Bool
    ) -> [Resumption] {
      if place {
        let wasLong = work.map { long.remove($0) } ?? false
        if !wasLong { short -= 1 }
        if demand.isExpensive { runningExpensive -= 1 }
      }
      if memory { used -= demand.memory }
      return letIn()
    }

    /// The index of the first work that may run. Expensive work that is held back can be overtaken, and runs when other
    /// expensive work ends. Nothing overtakes work that waits for memory, or large images would wait forever.
    private var next: Int? { waiting.firstIndex { !isHeldBack($0.demand) } }

    /// Returns whether work that arrives now can run.
    fileprivate func admits(_ demand: Demand) -> Bool { next == nil && fits(demand) }

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
  private func update(_ change: (inout [Stage]) -> [Resumption]) {
    let resumptions = state.withLock { stages in
      defer { for stage in stages.indices { stages[stage].share() } }
      return change(&stages)
    }
    for resumption in resumptions {
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

  /// Creates a queue of one stage with this number of bytes, and any number of slots.
  package convenience init(budget: Int) {
    self.init([Stage(places: .max, budget: budget)], mostWaiting: .max)
  }

  /// The number of waiting pieces of work.
  package var waiting: Int { state.withLock { Self.waiting($0) } }

  private static func waiting(_ stages: [Stage]) -> Int { stages.reduce(0) { $0 + $1.waiting.count } }

  /// The stages, and the number of waiting pieces of work, at one moment.
  var load: (stages: [Stage], waiting: Int) { state.withLock { ($0, Self.waiting($0)) } }

  /// Waits until a stage has a slot and the memory, and takes both. The memory is at most the budget. Throws
  /// ``ImageRequestError/overloaded(waiting:)`` or a cancellation.
  package func enter(
    _ demand: Demand, stage: Int = 0, ticket: Ticket = Ticket(.normal)
  ) async throws(ImageRequestError) {
    let refusal = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<ImageRequestError?, Never>) in
        update { stages in
          if Task.isCancelled { return [Resumption(continuation: continuation, refusal: .cancelled)] }
          if stages[stage].admits(demand) {
            stages[stage].begin(demand)
            return [Resumption(continuation: continuation, refusal: nil)]
          }
          let waiting = Self.waiting(stages)
          guard waiting < mostWaiting else {
            return [Resumption(continuation: continuation, refusal: .overloaded(waiting: waiting))]
          }
          stages[stage].insert(Waiter(ticket: ticket, demand: demand, continuation: continuation))
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

  /// Counts a turn of processor time of running work.
  func endTurn(of work: Cancellation, stage: Int) {
    update { $0[stage].endTurn(of: work) }
  }

  /// Frees a slot and memory of a stage.
  package func leave(_ demand: Demand) { leave(demand, work: nil, stage: 0) }

  /// Frees a slot and memory of a stage, or one of both.
  ///
  /// - Parameter work: The work whose turns were counted; nil if none ended.
  func leave(_ demand: Demand, work: Cancellation?, stage: Int, place: Bool = true, memory: Bool = true) {
    update { $0[stage].end(demand, work: work, place: place, memory: memory) }
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
