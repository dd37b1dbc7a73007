internal import Synchronization

/// A queue in which work first reads a header to learn its memory, and then runs within a memory budget. Both take one
/// of the same slots. Expensive work leaves one slot to other work, and long work gives up its slot; see
/// ``AdmissionQueue``.
final class DecodeQueue: Sendable {
  typealias Ticket = AdmissionQueue.Ticket
  typealias Demand = AdmissionQueue.Demand

  /// The cost above which a decode leaves a slot to others; see ``ImageInfo/cost``. The largest photos of cameras cost
  /// less, and images at the limit of pixels about a second.
  static let expensiveCost = 60.0

  let budget: Int
  private let queue: AdmissionQueue
  private let abandonments = Mutex((total: 0, running: 0))

  /// Creates a queue with this number of slots.
  init(places: Int, budget: Int, mostWaiting: Int) {
    self.budget = max(budget, 0)
    queue = AdmissionQueue(places: max(places, 1), budget: budget, mostWaiting: mostWaiting)
  }

  /// The running header readings, the other running work, the waiting work of both kinds, and the reserved bytes.
  var load: (headers: Int, running: Int, waiting: Int, bytes: Int) {
    let load = queue.load
    return (load.headers, load.running - load.headers, load.waitingCount, load.used)
  }

  /// The running header readings and other work that gave up their slots because they take long.
  var long: Int { queue.load.runningLong }

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
    try await run(ticket, .header) { (place) async throws(ImageRequestError) in
      try await run(ticket, try await weigh(place), after: place, body)
    }
  }

  /// Runs `body`, which has this demand, when a slot is free. The work that it follows leaves its own slot to it, unless
  /// older work waits.
  func run<Result>(
    _ ticket: Ticket, _ demand: Demand, after former: Place? = nil,
    _ body: (Place) async throws(ImageRequestError) -> Result
  ) async throws(ImageRequestError) -> Result {
    guard demand.memory <= budget else { throw .overBudget(needed: demand.memory, budget: budget) }
    try await queue.enter(demand, ticket, after: former?.end())
    let place = Place(self, demand)
    defer { place.leave() }
    return try await body(place)
  }

  /// The resources of running work: a slot and memory. Abandoned work frees its slot immediately, and its memory when
  /// it ends. Long work frees its slot, too.
  final class Place: Sendable {
    private let queue: DecodeQueue
    private let demand: Demand
    private let held = Mutex(Held())

    private struct Held {
      var place = true
      var memory = true
      /// The work whose turns are counted; nil before its first turn ends.
      var work: Cancellation?
    }

    fileprivate init(_ queue: DecodeQueue, _ demand: Demand) {
      self.queue = queue
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
            queue.queue.endTurn(of: work)
          }
        },
        abandoned: { [self] in
          let before = held.withLock { held in
            defer { held.place = false }
            return held
          }
          queue.abandonments.withLock { $0 = ($0.total + 1, $0.running + 1) }
          queue.queue.leave(demand, work: before.work, place: before.place, memory: false)
        },
        abandonedEnded: { [self] in
          let hasMemory = held.withLock { held in
            defer { held.memory = false }
            return held.memory
          }
          queue.abandonments.withLock { $0.running -= 1 }
          queue.queue.leave(demand, work: nil, place: false, memory: hasMemory)
        })
    }

    /// Frees the resources, unless the work was abandoned.
    fileprivate func leave() {
      if let ended = end() { queue.queue.leave(ended.demand, work: ended.work) }
    }

    /// Ends the work, whose resources the caller has to free; nil if it was abandoned, or ended before.
    fileprivate func end() -> (demand: Demand, work: Cancellation?)? {
      held.withLock { held in
        guard held.place else { return nil }
        (held.place, held.memory) = (false, false)
        return (demand, held.work)
      }
    }
  }
}
