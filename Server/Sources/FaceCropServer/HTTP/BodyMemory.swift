import Synchronization

/// The memory budget of all bodies: of images as they arrive, so that a client that only announces much takes little,
/// and of large responses until they are sent.
final class BodyMemory: Sendable {
  let budget: Int
  private let total = Mutex(0)

  init(budget: Int) {
    self.budget = budget
  }

  var held: Int { total.withLock { $0 } }

  /// The bytes of one request or response, counted until the lease ends or is dropped.
  final class Lease: Sendable {
    private let memory: BodyMemory
    private let bytes = Mutex(0)

    init(of memory: BodyMemory) {
      self.memory = memory
    }

    deinit { end() }

    /// Counts more bytes. Throws ``ServiceError/overBodyMemory(limit:)`` if the file alone has more than the budget, and
    /// ``ServiceError/busy`` if others hold too many bytes now.
    func extend(by count: Int) throws(ServiceError) {
      guard count <= memory.budget - bytes.withLock({ $0 }) else { throw .overBodyMemory(limit: memory.budget) }
      let fits = memory.total.withLock { total in
        guard total + count <= memory.budget else { return false }
        total += count
        return true
      }
      guard fits else { throw .busy }
      bytes.withLock { $0 += count }
    }

    func end() {
      let count = bytes.withLock { bytes in
        defer { bytes = 0 }
        return bytes
      }
      memory.total.withLock { $0 -= count }
    }
  }
}
