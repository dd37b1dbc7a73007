import Synchronization

/// A queue with two stages. In the first, work reads a header to learn its memory. In the second it runs within a
/// memory budget. Each stage has a fixed number of places. Higher priority goes first, then arrival order. Expensive
/// work leaves one of several places to other work, so that a few large or hostile images do not delay all others. One
/// bound covers the waiting work of both stages.
final class DecodeQueue: Sendable {
  let budget: Int
  let mostWaiting: Int
  private let state: Mutex<State>

  /// The resources that work needs.
  struct Demand {
    /// The upper bound of its memory in bytes.
    var memory: Int
    /// Whether it takes far longer than a photo.
    var isExpensive = false
  }

  fileprivate enum Stage {
    case header, decode
  }

  private struct State {
    var headers: Line
    var decodes: Line
    /// The total of abandoned work, and the part that still runs.
    var abandoned = 0
    var abandonedRunning = 0

    var waiting: Int { headers.waiting.count + decodes.waiting.count }

    subscript(stage: Stage) -> Line {
      get { stage == .header ? headers : decodes }
      _modify {
        if stage == .header { yield &headers } else { yield &decodes }
      }
    }
  }

  private struct Line {
    let places: Int
    let budget: Int
    var running = 0
    var runningExpensive = 0
    var used = 0
    /// The waiting work, in order of admission.
    var waiting: [Waiter] = []

    func fits(_ demand: Demand) -> Bool {
      running < places && used + demand.memory <= budget && !isHeldBack(demand)
    }

    /// Returns whether expensive work waits because other work has the last place for itself.
    private func isHeldBack(_ demand: Demand) -> Bool {
      demand.isExpensive && places > 1 && runningExpensive >= places - 1
    }

    mutating func insert(_ waiter: Waiter) {
      let place = waiting.firstIndex { $0.ticket.priority < waiter.ticket.priority } ?? waiting.endIndex
      waiting.insert(waiter, at: place)
    }

    mutating func remove(_ ticket: Ticket) -> Waiter? {
      waiting.firstIndex { $0.ticket === ticket }.map { waiting.remove(at: $0) }
    }

    mutating func begin(_ demand: Demand) {
      running += 1
      used += demand.memory
      if demand.isExpensive { runningExpensive += 1 }
    }

    /// Frees a place and memory, or one of both.
    mutating func end(_ demand: Demand, place: Bool, memory: Bool) -> [Resumption] {
      if place {
        running -= 1
        if demand.isExpensive { runningExpensive -= 1 }
      }
      if memory { used -= demand.memory }
      return letIn()
    }

    /// The place of the first work that may run. Expensive work that is held back can be overtaken, and runs when other
    /// expensive work ends. Nothing overtakes work that waits for memory, or large images would wait forever.
    private var next: Int? { waiting.firstIndex { !isHeldBack($0.demand) } }

    /// Returns whether work that arrives now can run.
    func admits(_ demand: Demand) -> Bool { next == nil && fits(demand) }

    /// Admits waiting work in order.
    mutating func letIn() -> [Resumption] {
      var resumptions: [Resumption] = []
      while let next, fits(waiting[next].demand) {
        let waiter = waiting.remove(at: next)
        begin(waiter.demand)
        resumptions.append(Resumption(continuation: waiter.continuation, refusal: nil))
      }
      return resumptions
    }
  }

  private struct Waiter {
    var ticket: Ticket
    var demand: Demand
    var continuation: CheckedContinuation<ImageRequestError?, Never>
  }

  /// Waiting work to resume, admitted or refused.
  private struct Resumption {
    var continuation: CheckedContinuation<ImageRequestError?, Never>
    var refusal: ImageRequestError?
  }

  /// Changes the state, and then resumes continuations, never under the lock. Swift calls a cancellation handler while
  /// it holds a lock of the task, which a resumption also needs. A handler that waits for this lock would deadlock.
  private func update(_ change: (inout State) -> [Resumption]) {
    for resumption in state.withLock({ change(&$0) }) {
      resumption.continuation.resume(returning: resumption.refusal)
    }
  }

  /// The position of one piece of work in the queue.
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

  /// Creates a queue with this number of places in each stage.
  init(places: Int, budget: Int, mostWaiting: Int) {
    self.budget = budget
    self.mostWaiting = max(mostWaiting, 0)
    let places = max(places, 1)
    state = Mutex(
      State(headers: Line(places: places, budget: .max), decodes: Line(places: places, budget: budget)))
  }

  /// The running header readings, the running work, the waiting work of both stages, and the reserved bytes.
  var load: (headers: Int, running: Int, waiting: Int, bytes: Int) {
    state.withLock { ($0.headers.running, $0.decodes.running, $0.waiting, $0.decodes.used) }
  }

  /// The total of abandoned work, and the part that still runs.
  var abandoned: (total: Int, running: Int) { state.withLock { ($0.abandoned, $0.abandonedRunning) } }

  /// Runs `weigh`, which returns the demand of `body`, and then `body`, each when a place is free. `body` reports to its
  /// place if its work is abandoned. Throws
  /// ``ImageRequestError/overBudget(needed:budget:)``, ``ImageRequestError/overloaded(waiting:)``, a cancellation, and
  /// the errors of both closures.
  func run<Result>(
    _ ticket: Ticket, weigh: (Place) async throws(ImageRequestError) -> Demand,
    _ body: (Place) async throws(ImageRequestError) -> Result
  ) async throws(ImageRequestError) -> Result {
    try await run(ticket, try await self.weigh(ticket, weigh), body)
  }

  /// Runs `body`, which has this demand, when a place is free.
  func run<Result>(
    _ ticket: Ticket, _ demand: Demand, _ body: (Place) async throws(ImageRequestError) -> Result
  ) async throws(ImageRequestError) -> Result {
    guard demand.memory <= budget else { throw .overBudget(needed: demand.memory, budget: budget) }
    return try await inLine(.decode, ticket, demand, body)
  }

  /// Runs `body`, which reads a header, when a place is free.
  func weigh<Result>(
    _ ticket: Ticket, _ body: (Place) async throws(ImageRequestError) -> Result
  ) async throws(ImageRequestError) -> Result {
    try await inLine(.header, ticket, Demand(memory: 0), body)
  }

  /// The resources of running work: a place and memory. Abandoned work frees its place immediately, and its memory when
  /// it ends.
  final class Place: Sendable {
    private let queue: DecodeQueue
    private let stage: Stage
    private let demand: Demand
    private let held = Mutex((place: true, memory: true))

    fileprivate init(_ queue: DecodeQueue, _ stage: Stage, _ demand: Demand) {
      self.queue = queue
      self.stage = stage
      self.demand = demand
    }

    /// The callbacks for the job of this work.
    var abandonment: Abandonment {
      Abandonment(
        begins: { [self] in
          let hasPlace = held.withLock { held in
            defer { held.place = false }
            return held.place
          }
          queue.update { state in
            state.abandoned += 1
            state.abandonedRunning += 1
            return state[stage].end(demand, place: hasPlace, memory: false)
          }
        },
        ends: { [self] in
          let hasMemory = held.withLock { held in
            defer { held.memory = false }
            return held.memory
          }
          queue.update { state in
            state.abandonedRunning -= 1
            return state[stage].end(demand, place: false, memory: hasMemory)
          }
        })
    }

    /// Frees the resources, unless the work was abandoned.
    fileprivate func leave() {
      let before = held.withLock { held in
        defer { if held.place { held = (false, false) } }
        return held
      }
      guard before.place else { return }
      queue.update { $0[stage].end(demand, place: true, memory: before.memory) }
    }
  }

  /// Raises the priority of waiting work.
  func raise(_ ticket: Ticket, to priority: RequestPriority) {
    state.withLock { state in
      guard priority > ticket.priority else { return }
      ticket.priority = priority
      if let waiter = state.headers.remove(ticket) { state.headers.insert(waiter) }
      if let waiter = state.decodes.remove(ticket) { state.decodes.insert(waiter) }
    }
  }

  private func inLine<Result>(
    _ stage: Stage, _ ticket: Ticket, _ demand: Demand, _ body: (Place) async throws(ImageRequestError) -> Result
  ) async throws(ImageRequestError) -> Result {
    try await enter(stage, ticket, demand)
    let place = Place(self, stage, demand)
    defer { place.leave() }
    return try await body(place)
  }

  private func enter(_ stage: Stage, _ ticket: Ticket, _ demand: Demand) async throws(ImageRequestError) {
    let refusal = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<ImageRequestError?, Never>) in
        update { state in
          if Task.isCancelled { return [Resumption(continuation: continuation, refusal: .cancelled)] }
          if state[stage].admits(demand) {
            state[stage].begin(demand)
            return [Resumption(continuation: continuation, refusal: nil)]
          }
          guard state.waiting < mostWaiting else {
            return [Resumption(continuation: continuation, refusal: .overloaded(waiting: state.waiting))]
          }
          state[stage].insert(Waiter(ticket: ticket, demand: demand, continuation: continuation))
          return []
        }
      }
    } onCancel: {
      update { state in
        guard let waiter = state[stage].remove(ticket) else { return [] }
        return [Resumption(continuation: waiter.continuation, refusal: .cancelled)] + state[stage].letIn()
      }
    }
    if let refusal { throw refusal }
  }
}
