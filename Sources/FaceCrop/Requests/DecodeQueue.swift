import Synchronization

/// A queue with two stages. In the first, work reads a header to learn its memory. In the second it runs within a
/// memory budget. Each stage has a fixed number of places. Higher priority goes first, then arrival order. One bound
/// covers the waiting work of both stages.
final class DecodeQueue: Sendable {
  let budget: Int
  let mostWaiting: Int
  private let state: Mutex<State>

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
    var used = 0
    /// The waiting work, in order of admission.
    var waiting: [Waiter] = []

    func fits(_ weight: Int) -> Bool { running < places && used + weight <= budget }

    mutating func insert(_ waiter: Waiter) {
      let place = waiting.firstIndex { $0.ticket.priority < waiter.ticket.priority } ?? waiting.endIndex
      waiting.insert(waiter, at: place)
    }

    mutating func remove(_ ticket: Ticket) -> Waiter? {
      waiting.firstIndex { $0.ticket === ticket }.map { waiting.remove(at: $0) }
    }

    mutating func begin(_ weight: Int) {
      running += 1
      used += weight
    }

    mutating func end(places: Int, weight: Int) -> [Resumption] {
      running -= places
      used -= weight
      return letIn()
    }

    /// Admits waiting work in order. Nothing overtakes the first, or large images would wait forever.
    mutating func letIn() -> [Resumption] {
      var resumptions: [Resumption] = []
      while let first = waiting.first, fits(first.weight) {
        waiting.removeFirst()
        begin(first.weight)
        resumptions.append(Resumption(continuation: first.continuation, refusal: nil))
      }
      return resumptions
    }
  }

  private struct Waiter {
    var ticket: Ticket
    var weight: Int
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

  /// Runs `weigh`, which returns an upper bound of memory for `body`, in bytes, and then `body`, each when a place is
  /// free. `body` reports to its place if its work is abandoned. Throws
  /// ``ImageRequestError/overBudget(needed:budget:)``, ``ImageRequestError/overloaded(waiting:)``, a cancellation, and
  /// the errors of both closures.
  func run<Result>(
    _ ticket: Ticket, weigh: (Place) async throws(ImageRequestError) -> Int,
    _ body: (Place) async throws(ImageRequestError) -> Result
  ) async throws(ImageRequestError) -> Result {
    try await run(ticket, weight: try await self.weigh(ticket, weigh), body)
  }

  /// Runs `body`, which needs up to `weight` bytes, when a place is free.
  func run<Result>(
    _ ticket: Ticket, weight: Int, _ body: (Place) async throws(ImageRequestError) -> Result
  ) async throws(ImageRequestError) -> Result {
    guard weight <= budget else { throw .overBudget(needed: weight, budget: budget) }
    return try await inLine(.decode, ticket, weight: weight, body)
  }

  /// Runs `body`, which reads a header, when a place is free.
  func weigh<Result>(
    _ ticket: Ticket, _ body: (Place) async throws(ImageRequestError) -> Result
  ) async throws(ImageRequestError) -> Result {
    try await inLine(.header, ticket, weight: 0, body)
  }

  /// The resources of running work: a place and memory. Abandoned work frees its place immediately, and its memory when
  /// it ends.
  final class Place: Sendable {
    private let queue: DecodeQueue
    private let stage: Stage
    private let weight: Int
    private let held = Mutex((place: true, memory: true))

    fileprivate init(_ queue: DecodeQueue, _ stage: Stage, _ weight: Int) {
      self.queue = queue
      self.stage = stage
      self.weight = weight
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
            return state[stage].end(places: hasPlace ? 1 : 0, weight: 0)
          }
        },
        ends: { [self] in
          let hasMemory = held.withLock { held in
            defer { held.memory = false }
            return held.memory
          }
          queue.update { state in
            state.abandonedRunning -= 1
            return state[stage].end(places: 0, weight: hasMemory ? weight : 0)
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
      queue.update { $0[stage].end(places: 1, weight: before.memory ? weight : 0) }
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
    _ stage: Stage, _ ticket: Ticket, weight: Int, _ body: (Place) async throws(ImageRequestError) -> Result
  ) async throws(ImageRequestError) -> Result {
    try await enter(stage, ticket, weight)
    let place = Place(self, stage, weight)
    defer { place.leave() }
    return try await body(place)
  }

  private func enter(_ stage: Stage, _ ticket: Ticket, _ weight: Int) async throws(ImageRequestError) {
    let refusal = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<ImageRequestError?, Never>) in
        update { state in
          if Task.isCancelled { return [Resumption(continuation: continuation, refusal: .cancelled)] }
          if state[stage].waiting.isEmpty && state[stage].fits(weight) {
            state[stage].begin(weight)
            return [Resumption(continuation: continuation, refusal: nil)]
          }
          guard state.waiting < mostWaiting else {
            return [Resumption(continuation: continuation, refusal: .overloaded(waiting: state.waiting))]
          }
          state[stage].insert(Waiter(ticket: ticket, weight: weight, continuation: continuation))
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
