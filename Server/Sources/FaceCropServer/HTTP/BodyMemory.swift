import Synchronization

/// The memory budget of all bodies: of images as they arrive, so that a client that only announces much takes little,
/// and of large responses until they are sent. One client has at most three quarters of what the others leave.
final class BodyMemory: Sendable {
  let budget: Int
  private let state = Mutex(State())

  private struct State {
    var total = 0
    var clients: [String: Int] = [:]
  }

  init(budget: Int) { self.budget = budget }

  var held: Int { state.withLock { $0.total } }

  /// Whether less is free than a request usually needs.
  var isFull: Bool { held > budget - budget / 16 }

  /// The bytes of one request or response, counted until the lease ends or is dropped.
  final class Lease: Sendable {
    private let memory: BodyMemory
    private let client: String
    private let bytes = Mutex(0)

    init(of memory: BodyMemory, for client: String = "") {
      (self.memory, self.client) = (memory, client)
    }

    deinit { end() }

    /// Counts more bytes. Throws ``ServiceError/overBodyMemory(limit:)`` if the file alone has more than the budget, and
    /// ``ServiceError/busy`` if others, or other requests of the client, hold too many bytes now.
    func extend(by count: Int) throws(ServiceError) {
      let own = bytes.withLock { $0 }
      guard count <= memory.budget - own else { throw .overBodyMemory(limit: memory.budget) }
      let fits = memory.state.withLock { state in
        let (free, held) = (memory.budget - state.total, state.clients[client, default: 0])
        // A client's only body may have all that is free.
        guard count <= free, held == own || held + count <= (free + held) / 4 * 3 else { return false }
        state.total += count
        state.clients[client] = held + count
        return true
      }
      guard fits else { throw .busy }
      bytes.withLock { $0 += count }
    }

    func end() {
      let count = bytes.withLock { exchange(&$0, with: 0) }
      guard count > 0 else { return }
      memory.state.withLock { state in
        state.total -= count
        let held = state.clients[client, default: 0] - count
        state.clients[client] = held == 0 ? nil : held
      }
    }
  }
}
