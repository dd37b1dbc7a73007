import Synchronization
import Testing

@testable import FaceCropCLI

/// Admitted work never exceeds the budget, and all work is admitted in the end.
@Suite struct AdmissionTests {
  private final class Load: Sendable {
    private let state = Mutex((now: 0, most: 0, total: 0))

    func add(_ bytes: Int) {
      state.withLock { state in
        state.now += bytes
        state.most = max(state.most, state.now)
        if bytes > 0 { state.total += 1 }
      }
    }

    var most: Int { state.withLock { $0.most } }
    var total: Int { state.withLock { $0.total } }
  }

  @Test func budgetIsKept() async {
    let admission = SharedMemory(budget: 100)
    let load = Load()
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<300 {
        let bytes = [1, 30, 70, 100, 55][index % 5]
        group.addTask {
          await admission.acquire(bytes)
          load.add(bytes)
          await Task.yield()
          load.add(-bytes)
          admission.release(bytes)
        }
      }
    }
    #expect(load.total == 300)
    #expect(load.most <= 100)
    // The whole budget is free again.
    await admission.acquire(100)
  }

  private final class Order: Sendable {
    private let state = Mutex<[String]>([])

    func add(_ name: String) { state.withLock { $0.append(name) } }

    var names: [String] { state.withLock { $0 } }
  }

  /// Small images do not overtake a large one that waits.
  @Test func admitsInOrderOfArrival() async {
    let admission = SharedMemory(budget: 100)
    await admission.acquire(60)
    let order = Order()
    let large = Task {
      await admission.acquire(90)
      order.add("large")
      admission.release(90)
    }
    while admission.waiting < 1 { await Task.yield() }
    let small = Task {
      // There would be room for it.
      await admission.acquire(10)
      order.add("small")
      admission.release(10)
    }
    // It waits, or was admitted.
    while admission.waiting < 2, order.names.isEmpty { await Task.yield() }
    #expect(order.names.isEmpty, "a small picture went before a large one that had come before")
    admission.release(60)
    await large.value
    await small.value
    #expect(order.names == ["large", "small"])
  }
}
