internal import Synchronization

/// A queue with two stages. In the first, work reads a header to learn its memory. In the second it runs within a
/// memory budget. Each stage has the same number of slots. Expensive work leaves one slot to other work, and long work
/// gives up its slot; see ``AdmissionQueue``.
final class DecodeQueue: Sendable {
  typealias Ticket = AdmissionQueue.Ticket
  typealias Demand = AdmissionQueue.Demand

  /// The cost above which a decode leaves a slot to others; see ``ImageInfo/cost``. The largest photos of cameras cost
  /// less, and images at the limit of pixels about a second.
  static let expensiveCost = 60.0

  let budget: Int
  private let queue: AdmissionQueue
  private let abandonments = Mutex((total: 0, running: 0))

  fileprivate enum Stage: Int {
    case header, decode
  }

  /// Creates a queue with this number of slots in each stage.
  init(places: Int, budget: Int, mostWaiting: Int) {
    self.budget = budget
    let places = max(places, 1)
    queue = AdmissionQueue(
      [AdmissionQueue.Stage(places: places, budget: .max), AdmissionQueue.Stage(places: places, budget: budget)],
      mostWaiting: mostWaiting)
  }

  /// The running header readings, the running work, the waiting work of both stages, and the reserved bytes.
  var load: (headers: Int, running: Int, waiting: Int, bytes: Int) {
    let load = queue.load
    return (load.stages[0].running, load.stages[1].running, load.waiting, load.stages[1].used)
  }

  /// The running work of both stages that gave up its slot because it takes long.
  var long: Int { queue.load.stages.reduce(0) { $0 + $1.runningLong } }

  /// The total of abandoned work, and the part that still runs.
  var abandoned: (total: Int, running: Int) { abandonments.withLock { $0 } }

  /// Raises the priority of waiting work.
  func raise(_ ticket: Ticket, to priority: RequestPriority) { queue.raise(ticket, to: priority) }

  /// Runs `weigh`, which returns the demand of `body`, and then `body`, each when a slot is free. `body` reports to its
  /// slot if its work is abandoned. Throws ``ImageRequestError/overBudget(needed:budget:)``,
  /// ``ImageRequestError/overloaded(waiting:)``, a cancellation, and the errors of both closures.
  func run<Result>(
    _ ticket: Ticket, weigh: (Place) async throws(ImageRequestError) -> Demand,
    _ body: (Place) async throws(ImageRequestError) -> Result
  ) async throws(ImageRequestError) -> Result {
    try await run(ticket, try await self.weigh(ticket, weigh), body)
  }

  /// Runs `body`, which has this demand, when a slot is free.
  func run<Result>(
    _ ticket: Ticket, _ demand: Demand, _ body: (Place) async throws(ImageRequestError) -> Result
  ) async throws(ImageRequestError) -> Result {
    guard demand.memory <= budget else { throw .overBudget(needed: demand.memory, budget: budget) }
    return try await inLine(.decode, ticket, demand, body)
  }

  /// Runs `body`, which reads a header, when a slot is free.
  func weigh<Result>(
    _ ticket: Ticket, _ body: (Place) async throws(ImageRequestError) -> Result
  ) async throws(ImageRequestError) -> Result {
    try await inLine(.header, ticket, Demand(memory: 0), body)
  }

  /// The resources of running work: a slot and memory. Abandoned work frees its slot immediately, and its memory when
  /// it ends. Long work frees its slot, too.
  final class Place: Sendable {
    private let queue: DecodeQueue
    private let stage: Stage
    private let demand: Demand
    private let held = Mutex(Held())

    private struct Held {
      var place = true
      var memory = true
      /// The work whose turns are counted; nil before its first turn ends.
      var work: Cancellation?
    }

    fileprivate init(_ queue: DecodeQueue, _ stage: Stage, _ demand: Demand) {
      self.queue = queue
      self.stage = stage
      self.demand = demand
    }

    /// The callbacks for the job of this work.
    var admission: Admission {
      Admission(
        turnEnded: { [self] work in
          // The lock keeps the work from leaving meanwhile. Nothing takes it under a lock of the queue or a task.
          held.withLock { held in
            guard held.place, held.work == nil || held.work === work else { return }
            held.work = work
            queue.queue.endTurn(of: work, stage: stage.rawValue)
          }
        },
        abandoned: { [self] in
          let before = held.withLock { held in
            defer { held.place = false }
            return held
          }
          queue.abandonments.withLock { $0 = ($0.total + 1, $0.running + 1) }
          queue.queue.leave(demand, work: before.work, stage: stage.rawValue, place: before.place, memory: false)
        },
        abandonedEnded: { [self] in
          let hasMemory = held.withLock { held in
            defer { held.memory = false }
            return held.memory
          }
          queue.abandonments.withLock { $0.running -= 1 }
          queue.queue.leave(demand, work: nil, stage: stage.rawValue, place: false, memory: hasMemory)
        })
    }

    /// Frees the resources, unless the work was abandoned.
    fileprivate func leave() {
      let before = held.withLock { held in
        defer { if held.place { (held.place, held.memory) = (false, false) } }
        return held
      }
      guard before.place else { return }
      queue.queue.leave(demand, work: before.work, stage: stage.rawValue, memory: before.memory)
    }
  }

  private func inLine<Result>(
    _ stage: Stage, _ ticket: Ticket, _ demand: Demand, _ body: (Place) async throws(ImageRequestError) -> Result
  ) async throws(ImageRequestError) -> Result {
    try await queue.enter(demand, stage: stage.rawValue, ticket: ticket)
    let place = Place(self, stage, demand)
    defer { place.leave() }
    return try await body(place)
  }
}
